import { expect } from 'chai';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problemExtras } from '../../../lib/errors/problem.ts';
import { firstBreak } from '../../harness/chain.ts';
import { eventually } from '../../harness/eventually.ts';
import { RIGHT_PIN } from '../../harness/fake-membership.ts';
import { codeOf, newId, TreasuryBench } from '../../harness/treasury.ts';
import type { TestAssociation } from '../../harness/treasury.ts';

const DONE = { status: 'done', error: null };

describe('treasury: distributions', () => {
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

  const ofGroup = () => ({ association_id: group.id });
  const request = (given: object = {}, user_id = group.p.user_id, meta = {}) =>
    bench.as(
      user_id,
      contract.requestDistribution,
      {
        path: ofGroup(),
        body: { beneficiary_member_id: group.m.member_id, amount: 300, reason: 'a roof', ...given },
      },
      { meta },
    );
  const list = (query: Partial<EndpointInput<typeof contract.listDistributions>['query']> = {}) =>
    bench.as(group.m.user_id, contract.listDistributions, { path: ofGroup(), query: { limit: 50, ...query } });
  const shown = (distribution_id: string) =>
    bench.as(group.m.user_id, contract.getDistribution, { path: { ...ofGroup(), distribution_id } });
  const balances = () => bench.as(group.m.user_id, contract.balances, { path: ofGroup() });
  const walletBalance = async () => {
    const wallet_id = group.m.payout_wallet_id ?? '';
    return (await bench.as(group.m.user_id, contract.getWallet, { path: { wallet_id } })).balance;
  };
  const statuses = () =>
    bench.sql<{ id: string; status: string }>(
      'SELECT id, status FROM distributions WHERE association_id = $1 ORDER BY id',
      group.id,
    );
  const cash = async (amount: number) => {
    const body = { member_id: group.m.member_id, amount, reason: 'cash', pin: RIGHT_PIN };
    const deposit = await bench.as(group.t.user_id, contract.recordCashContribution, { path: ofGroup(), body });
    await bench.decide(deposit.id, 'approved');
  };

  it('sets the funds aside at once and asks the board', async () => {
    await bench.endow(group.id, 1_000);
    const meta: Record<string, unknown> = {};
    const distribution = await request({}, group.p.user_id, meta);
    expect(distribution).to.deep.include({
      association_id: group.id,
      beneficiary_member_id: group.m.member_id,
      amount: 300,
      currency: 'XAF',
      reason: 'a roof',
      status: 'pending_approval',
      requested_by_member_id: group.p.member_id,
      payouts: [],
      decided_at: null,
    });
    const location = `/association-service/api/v1/associations/${group.id}/distributions/${distribution.id}`;
    expect(meta.$location).to.equal(location);
    expect(bench.governance.approvalOf(distribution.id)).to.deep.include({
      approval_id: distribution.approval_id,
      concerned_member_id: group.m.member_id,
      payload: { beneficiary_member_id: group.m.member_id, amount: 300, currency: 'XAF', reason: 'a roof' },
    });
    expect(await balances()).to.deep.include({ treasury: 700, reserved: 300, available: 700, cash: 0 });
    expect(await shown(distribution.id)).to.deep.equal(distribution);
    expect(await bench.events(group.id)).to.deep.equal(['distribution.requested']);
    const member_id = group.m.member_id;
    expect(await bench.command(contract.obligations, { ...ofGroup(), member_id })).to.deep.equal({ pending: true });
  });

  it('pays once however often it is told, though the beneficiary has left', async () => {
    await bench.endow(group.id, 1_000);
    const { id } = await request();
    const { m } = group;
    m.status = 'left';
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => bench.decide(id, 'approved')));
    for (const outcome of outcomes) expect(outcome).to.deep.equal(DONE);
    m.status = 'active';
    const paid = await shown(id);
    expect(paid.status).to.equal('paid');
    expect(paid.decided_at).to.be.a('string');
    const [{ transfer_id } = { transfer_id: '' }] = paid.payouts;
    const payout = { member_id: m.member_id, wallet_id: m.payout_wallet_id, method: 'wallet', amount: 300 };
    expect(paid.payouts).to.deep.equal([{ ...payout, transfer_id }]);
    expect(await walletBalance()).to.equal(300);
    expect(await balances()).to.deep.include({ treasury: 700, reserved: 0 });
    expect(await bench.events(group.id)).to.deep.equal(['distribution.requested', 'distribution.paid']);
  });

  it('pays e-money first and the rest in cash, each a leg of its own', async () => {
    await cash(250);
    await bench.endow(group.id, 100);
    const { id } = await request();
    expect(await balances()).to.deep.include({ treasury: 50, reserved: 300, cash: 250, available: 50 });
    expect(await bench.decide(id, 'approved')).to.deep.equal(DONE);
    const { payouts } = await shown(id);
    expect(payouts.map(({ method, amount, wallet_id }) => [method, amount, wallet_id])).to.deep.equal([
      ['wallet', 100, group.m.payout_wallet_id],
      ['cash', 200, null],
    ]);
    expect(await walletBalance()).to.equal(100);
    expect(await balances()).to.deep.include({ treasury: 50, reserved: 0, cash: 50 });
    const { data } = await bench.as(group.m.user_id, contract.cashLedger, { path: ofGroup() });
    expect(data.map((entry) => [entry.kind, entry.amount, entry.balance_after, entry.reference])).to.deep.equal([
      ['distribution_payment', -200, 50, 'a roof'],
      ['cash_deposit', 250, 250, 'cash'],
    ]);
    const { transfers } = await bench.as(group.m.user_id, contract.ledgerExport, { path: ofGroup() });
    expect(firstBreak(transfers)).to.equal(undefined);
  });

  for (const decision of ['rejected', 'expired', 'cancelled'] as const) {
    it(`gives the funds back when the approval is ${decision}`, async () => {
      await bench.endow(group.id, 1_000);
      const { id } = await request();
      expect(await bench.decide(id, decision)).to.deep.equal(DONE);
      expect(await bench.decide(id, decision)).to.deep.equal(DONE);
      expect(await shown(id)).to.deep.include({ status: 'rejected', payouts: [] });
      expect(await balances()).to.deep.include({ treasury: 1_000, reserved: 0 });
      expect(await bench.events(group.id)).to.deep.equal(['distribution.requested', 'distribution.rejected']);
    });
  }

  it('pays or gives back, never both, when decisions meet', async () => {
    await bench.endow(group.id, 1_000);
    const { id } = await request();
    const outcomes = await Promise.all([
      bench.decide(id, 'approved'),
      bench.decide(id, 'rejected'),
      bench.decide(id, 'approved'),
      bench.decide(id, 'cancelled'),
    ]);
    const { status } = await shown(id);
    expect(status).to.be.oneOf(['paid', 'rejected']);
    expect(outcomes.filter((outcome) => outcome.status === 'done')).to.have.length(2);
    expect(await walletBalance()).to.equal(status === 'paid' ? 300 : 0);
    expect(await balances()).to.deep.include({ treasury: status === 'paid' ? 700 : 1_000, reserved: 0 });
  });

  it('refuses more than there is, with what there is, and shows nothing of it', async () => {
    await cash(100);
    await bench.endow(group.id, 199);
    const refusal = await request().catch((error: unknown) => problemExtras(error));
    expect(refusal).to.deep.equal({ available: 299 });
    expect(await codeOf(request())).to.equal('insufficient_funds');
    expect((await list()).data).to.deep.equal([]);
    const [{ id } = { id: '' }] = await statuses();
    expect(await codeOf(shown(id))).to.equal('not_found');
    expect(await bench.events(group.id)).to.not.include('distribution.requested');
  });

  it('never sets aside more than there is, however many ask at once', async () => {
    await bench.endow(group.id, 1_000);
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => request()));
    expect(attempts.filter((each) => each.status === 'fulfilled')).to.have.length(3);
    expect(await balances()).to.deep.include({ treasury: 100, reserved: 900 });
  });

  it('lists newest first, by status, page by page', async () => {
    await bench.endow(group.id, 1_000);
    const ids: string[] = [];
    for (const amount of [1, 2, 3]) ids.unshift((await request({ amount })).id);
    await bench.decide(ids[1] ?? '', 'approved');
    expect((await list()).data.map((each) => each.id)).to.deep.equal(ids);
    expect((await list({ status: 'paid' })).data.map((each) => each.id)).to.deep.equal([ids[1]]);
    const first = await list({ limit: 2 });
    const second = await list({ limit: 2, cursor: first.next_cursor ?? '' });
    expect([...first.data, ...second.data].map((each) => each.id)).to.deep.equal(ids);
    expect(await codeOf(list({ status: 'paid', cursor: first.next_cursor ?? '' }))).to.equal('validation_failed');
  });

  it('refuses in the contract’s order, and stores nothing', async () => {
    await bench.endow(group.id, 1_000);
    expect(await codeOf(request({}, 'stranger'))).to.equal('not_found');
    expect(await codeOf(request({ amount: 0.5 }, group.m.user_id))).to.equal('role_not_allowed');
    expect(await codeOf(request({ amount: 0.5, beneficiary_member_id: newId() }))).to.equal('amount_precision');
    expect(await codeOf(request({ beneficiary_member_id: newId() }))).to.equal('not_found');
    bench.governance.ineligible = true;
    expect(await codeOf(request({ amount: 5_000 }))).to.equal('no_eligible_approver');
    expect(await statuses()).to.deep.equal([]);
  });

  it('gives back what governance would not have approved, or was not there to be asked', async () => {
    await bench.endow(group.id, 1_000);
    bench.governance.mishaps.push('refused', 'away');
    expect(await codeOf(request())).to.equal('no_eligible_approver');
    expect(await codeOf(request())).to.equal('service_unavailable');
    expect(await balances()).to.deep.include({ treasury: 1_000, reserved: 0 });
    expect((await statuses()).map((row) => row.status)).to.deep.equal(['refused', 'refused']);
    expect((await list()).data).to.deep.equal([]);
  });

  it('gives back what cannot be paid, and says why', async () => {
    await bench.endow(group.id, 1_000);
    group.m.payout_wallet_id = await bench.fundedWallet(group.m.user_id, 0, 'EUR');
    const { id } = await request();
    const failed = { status: 'failed', error: 'wallet_currency_mismatch' };
    expect(await bench.decide(id, 'approved')).to.deep.equal(failed);
    expect(await bench.decide(id, 'approved')).to.deep.equal(failed);
    expect(await shown(id)).to.deep.include({ status: 'failed', payouts: [] });
    expect(await balances()).to.deep.include({ treasury: 1_000, reserved: 0 });
    expect(await bench.events(group.id)).to.deep.equal(['distribution.requested', 'distribution.failed']);
  });

  it('opens a wallet for a beneficiary who has none to be paid into', async () => {
    await bench.endow(group.id, 1_000);
    group.m.payout_wallet_id = null;
    const { id } = await request();
    await bench.decide(id, 'approved');
    expect((await shown(id)).payouts[0]?.wallet_id).to.be.a('string');
  });

  const REQUEST_STEPS = ['reserving', 'reserving.acted', 'requesting', 'requesting.acted'];
  for (const step of REQUEST_STEPS) {
    it(`brings a request to the board after a stop at ${step}, with one reserve`, async () => {
      await bench.endow(group.id, 1_000);
      let stops = 1;
      bench.reached = (at) => {
        if (at === `treasury.distribution.${step}` && stops-- > 0) throw new Error('stopped');
      };
      expect(await codeOf(request())).to.be.oneOf(['outcome_unknown', 'internal_error']);
      await eventually(async () => expect((await list()).data).to.have.length(1));
      expect(await balances()).to.deep.include({ treasury: 700, reserved: 300 });
      expect(await bench.events(group.id)).to.deep.equal(['distribution.requested']);
    });
  }

  const ENDS = {
    approved: { steps: ['paying', 'paying.acted'], status: 'paid', treasury: 700 },
    rejected: { steps: ['releasing', 'releasing.acted'], status: 'rejected', treasury: 1_000 },
  } as const;
  for (const [decision, { steps, status, treasury }] of Object.entries(ENDS)) {
    for (const step of steps) {
      it(`ends ${status} after a stop at ${step}, without a further word from governance`, async () => {
        await bench.endow(group.id, 1_000);
        const { id } = await request();
        let stops = 1;
        bench.reached = (at) => {
          if (at === `treasury.distribution.${step}` && stops-- > 0) throw new Error('stopped');
        };
        expect(await codeOf(bench.decide(id, decision as 'approved'))).to.equal('internal_error');
        await eventually(async () => expect((await shown(id)).status).to.equal(status));
        expect(await balances()).to.deep.include({ treasury, reserved: 0 });
        expect(await bench.events(group.id)).to.have.length(2);
      });
    }
  }

  it('gives back once after a stop at failing.acted', async () => {
    await bench.endow(group.id, 1_000);
    group.m.payout_wallet_id = newId();
    const { id } = await request();
    let stops = 1;
    bench.reached = (at) => {
      if (at === 'treasury.distribution.failing.acted' && stops-- > 0) throw new Error('stopped');
    };
    expect(await codeOf(bench.decide(id, 'approved'))).to.equal('internal_error');
    await eventually(async () => expect((await shown(id)).status).to.equal('failed'));
    expect(await balances()).to.deep.include({ treasury: 1_000, reserved: 0 });
  });
});
