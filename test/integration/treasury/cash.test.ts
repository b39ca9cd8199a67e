import { expect } from 'chai';
import * as contract from '../../../lib/contracts/treasury.ts';
import { eventually } from '../../harness/eventually.ts';
import { RIGHT_PIN } from '../../harness/fake-membership.ts';
import { codeOf, newId, TreasuryBench } from '../../harness/treasury.ts';
import type { TestAssociation } from '../../harness/treasury.ts';

describe('treasury: cash contributions', () => {
  let bench: TreasuryBench;
  let group: TestAssociation;

  before(async () => {
    bench = await TreasuryBench.start();
  });
  after(() => bench.stop());
  beforeEach(async () => {
    group = await bench.group();
    bench.reached = () => undefined;
    bench.governance.ineligible = false;
  });

  const body = () => ({ member_id: group.m.member_id, amount: 500, reason: 'from the box', pin: RIGHT_PIN });
  const record = (given: object = {}, user_id = group.t.user_id, meta = {}) =>
    bench.as(
      user_id,
      contract.recordCashContribution,
      { path: { association_id: group.id }, body: { ...body(), ...given } },
      { meta },
    );
  const box = () => bench.as(group.m.user_id, contract.cashLedger, { path: { association_id: group.id } });
  const balances = () => bench.as(group.m.user_id, contract.balances, { path: { association_id: group.id } });
  const stored = () => bench.sql('SELECT status FROM cash_deposits WHERE association_id = $1', group.id);
  const obliges = async (member_id: string) =>
    (await bench.command(contract.obligations, { association_id: group.id, member_id })).pending;

  it('records cash for the board to confirm, and moves nothing before', async () => {
    const meta: Record<string, unknown> = {};
    const deposit = await record({}, group.t.user_id, meta);
    expect(deposit).to.deep.include({
      association_id: group.id,
      member_id: group.m.member_id,
      amount: 500,
      currency: 'XAF',
      reason: 'from the box',
      meeting_id: null,
      status: 'pending_approval',
      recorded_by_member_id: group.t.member_id,
    });
    const approval = `/associations/${group.id}/governance/approvals/${deposit.approval_id}`;
    expect(meta.$location).to.equal(`/association-service/api/v1${approval}`);
    expect(bench.governance.approvalOf(deposit.id)).to.deep.include({
      approval_id: deposit.approval_id,
      subject_type: 'cash_deposit',
      requested_by_member_id: group.t.member_id,
      concerned_member_id: group.m.member_id,
      payload: { member_id: group.m.member_id, amount: 500, currency: 'XAF', reason: 'from the box' },
    });
    expect((await box()).data).to.deep.equal([]);
    expect(await bench.events(group.id)).to.deep.equal(['cash.recorded']);
    expect(await obliges(group.m.member_id)).to.equal(true);
    expect(await obliges(group.t.member_id)).to.equal(false);
  });

  it('puts approved cash into the treasury once, however often it is told', async () => {
    const deposit = await record();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => bench.decide(deposit.id, 'approved')));
    outcomes.push(await bench.decide(deposit.id, 'approved'));
    for (const outcome of outcomes) expect(outcome).to.deep.equal({ status: 'done', error: null });
    const { data } = await box();
    expect(data).to.have.length(1);
    expect(data[0]).to.deep.include({
      id: deposit.id,
      kind: 'cash_deposit',
      amount: 500,
      balance_after: 500,
      member_id: group.m.member_id,
      reference: 'from the box',
    });
    expect(await balances()).to.deep.include({ treasury: 500, reserved: 0, cash: 500, available: 500, pools: [] });
    expect(await bench.events(group.id)).to.deep.equal(['cash.recorded', 'cash.confirmed']);
    expect(await obliges(group.m.member_id)).to.equal(false);
  });

  for (const decision of ['rejected', 'expired', 'cancelled'] as const) {
    it(`drops cash whose approval is ${decision}`, async () => {
      const deposit = await record();
      expect(await bench.decide(deposit.id, decision)).to.deep.equal({ status: 'done', error: null });
      expect(await bench.decide(deposit.id, decision)).to.deep.equal({ status: 'done', error: null });
      expect((await box()).data).to.deep.equal([]);
      expect(await stored()).to.deep.equal([{ status: 'rejected' }]);
      expect(await bench.events(group.id)).to.deep.equal(['cash.recorded', 'cash.rejected']);
    });
  }

  it('pages the cash ledger, newest first', async () => {
    for (const amount of [1, 2, 3]) await bench.decide((await record({ amount })).id, 'approved');
    const path = { association_id: group.id };
    const first = await bench.as(group.m.user_id, contract.cashLedger, { path, query: { limit: 2 } });
    const query = { limit: 2, cursor: first.next_cursor ?? '' };
    const second = await bench.as(group.m.user_id, contract.cashLedger, { path, query });
    expect([...first.data, ...second.data].map((each) => [each.amount, each.balance_after])).to.deep.equal([
      [3, 6],
      [2, 3],
      [1, 1],
    ]);
  });

  it('refuses in the contract’s order, and stores nothing', async () => {
    expect(await codeOf(record({}, 'stranger'))).to.equal('not_found');
    expect(await codeOf(record({ pin: 'wrong' }, group.m.user_id))).to.equal('role_not_allowed');
    expect(await codeOf(record({ amount: 0.5, pin: 'wrong' }))).to.equal('amount_precision');
    expect(await codeOf(record({ pin: 'wrong', member_id: newId() }))).to.equal('pin_invalid');
    expect(await codeOf(record({ member_id: newId() }))).to.equal('not_found');
    expect(await codeOf(record({ member_id: 'no-id' }))).to.equal('not_found');
    bench.governance.ineligible = true;
    expect(await codeOf(record())).to.equal('no_eligible_approver');
    group.m.status = 'left';
    expect(await codeOf(record())).to.equal('not_found');
    expect(await stored()).to.deep.equal([]);
  });

  it('keeps no record of what governance would not have', async () => {
    bench.governance.mishaps.push('refused');
    expect(await codeOf(record())).to.equal('no_eligible_approver');
    expect(await bench.events(group.id)).to.deep.equal([]);
    expect(await obliges(group.m.member_id)).to.equal(false);
  });

  it('keeps no record when governance is away', async () => {
    bench.governance.mishaps.push('away');
    expect(await codeOf(record())).to.equal('service_unavailable');
    expect(await stored()).to.deep.equal([{ status: 'refused' }]);
  });

  for (const mishap of ['request_lost', 'answer_lost'] as const) {
    it(`brings a record to its approval after the ${mishap.replace('_', ' was ')}`, async () => {
      bench.governance.mishaps.push(mishap);
      expect(await codeOf(record())).to.equal('outcome_unknown');
      await eventually(async () => {
        expect(await bench.events(group.id)).to.deep.equal(['cash.recorded']);
      });
      expect(await stored()).to.deep.equal([{ status: 'pending_approval' }]);
    });
  }

  it('takes a decision for a record whose opening was never answered', async () => {
    bench.governance.mishaps.push('answer_lost');
    await codeOf(record());
    const [{ id } = { id: '' }] = await bench.sql<{ id: string }>(
      'SELECT id FROM cash_deposits WHERE association_id = $1',
      group.id,
    );
    expect(await bench.decide(id, 'approved')).to.deep.equal({ status: 'done', error: null });
    expect(await bench.events(group.id)).to.deep.equal(['cash.recorded', 'cash.confirmed']);
  });

  it('knows no decision on what it has not', async () => {
    const input = { approval_id: newId(), association_id: group.id, subject_id: newId(), payload: {} };
    for (const subject_type of ['cash_deposit', 'distribution', 'role_change'] as const) {
      const outcome = await bench.command(contract.executeApproval, { ...input, subject_type, decision: 'approved' });
      expect(outcome).to.deep.equal({ status: 'failed', error: 'not_found' });
    }
  });

  const stopAt = (step: string) => {
    let stops = 1;
    bench.reached = (at) => {
      if (at === `treasury.cash_deposit.${step}` && stops-- > 0) throw new Error('stopped');
    };
  };

  for (const step of ['recording', 'recording.acted']) {
    it(`brings a record to the board once after a stop at ${step}`, async () => {
      stopAt(step);
      await codeOf(record());
      await eventually(async () => expect(await stored()).to.deep.equal([{ status: 'pending_approval' }]));
      expect(await bench.events(group.id)).to.deep.equal(['cash.recorded']);
    });
  }

  for (const step of ['confirming', 'confirming.acted']) {
    it(`confirms cash once after a stop at ${step}, without a further word from governance`, async () => {
      const { id } = await record();
      stopAt(step);
      expect(await codeOf(bench.decide(id, 'approved'))).to.equal('internal_error');
      await eventually(async () => expect(await stored()).to.deep.equal([{ status: 'confirmed' }]));
      expect(await balances()).to.deep.include({ treasury: 500, cash: 500 });
      expect(await bench.events(group.id)).to.deep.equal(['cash.recorded', 'cash.confirmed']);
    });
  }
});
