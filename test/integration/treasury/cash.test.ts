import { expect } from 'chai';
import { decideCash, takeCash } from '../../../lib/contracts/contribution.ts';
import { checkEligibility, requestApproval } from '../../../lib/contracts/governance.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problem, problemExtras } from '../../../lib/errors/problem.ts';
import { eventually } from '../../harness/eventually.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

const DONE = { status: 'done', error: null };

describe('treasury: cash', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  const meeting_id = newId();

  const statuses = async () => treasury.statuses('cash_deposits');
  const onlyId = async () => (await treasury.requests('cash_deposits'))[0]?.id ?? '';
  /** What the contribution service was told of how the deposit ended. */
  const told = (id: string) => treasury.contribution.decided.get(id);

  it('is recorded for the board to confirm, and moves nothing before', async () => {
    const { group } = treasury;
    const deposit = await treasury.recordCash();
    expect(deposit).to.deep.include({
      association_id: group.id,
      member_id: group.m.member_id,
      amount: 500,
      currency: 'XAF',
      reason: 'in hand',
      meeting_id: null,
      status: 'pending_approval',
      recorded_by_member_id: group.t.member_id,
    });
    const approval = `/associations/${group.id}/governance/approvals/${deposit.approval_id}`;
    expect(treasury.headOf(deposit).location).to.equal(`/association-service/api/v1${approval}`);
    expect(treasury.governance.approvalOf(deposit.id)).to.deep.include({
      approval_id: deposit.approval_id,
      subject_type: 'cash_deposit',
      requested_by_member_id: group.t.member_id,
      concerned_member_id: group.m.member_id,
      payload: { member_id: group.m.member_id, amount: 500, currency: 'XAF', reason: 'in hand' },
    });
    expect(await treasury.cashLedger()).to.deep.equal([]);
    expect(await treasury.told()).to.deep.equal(['cash.recorded']);
    expect([await treasury.isObliged(), await treasury.isObliged(group.t)]).to.deep.equal([true, false]);
  });

  it('for a meeting takes the due when it is recorded, before the board is asked', async () => {
    const { m } = treasury.group;
    const deposit = await treasury.recordCash({ meeting_id });
    expect(deposit).to.deep.include({ meeting_id, status: 'pending_approval', amount: 500 });
    const taken = { meeting_id, contribution_id: deposit.id, member_id: m.member_id, amount_minor: 500 };
    expect(treasury.contribution.taken.get(deposit.id)).to.deep.equal({
      ...treasury.path(),
      ...taken,
      currency: 'XAF',
    });
    expect(treasury.governance.approvalOf(deposit.id).payload).to.deep.include({ meeting_id, amount: 500 });
    expect(told(deposit.id)).to.equal(undefined);
    expect((await treasury.balances()).pools).to.deep.equal([]);
    expect(await treasury.isObliged()).to.equal(true);
  });

  const PLACES = [
    { place: 'the treasury', given: {}, kind: 'cash_deposit', holds: { treasury: 500, available: 500, pools: [] } },
    {
      place: 'the meeting’s pool',
      given: { meeting_id },
      kind: 'cash_contribution',
      holds: { treasury: 0, available: 0, pools: [{ meeting_id, amount: 500, cash_amount: 500 }] },
    },
  ];
  for (const { place, given, kind, holds } of PLACES) {
    it(`goes into ${place} once it is approved, however often that is told`, async () => {
      const { id } = await treasury.recordCash(given);
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => treasury.decide(id, 'approved')));
      outcomes.push(await treasury.decide(id, 'approved'));
      for (const outcome of outcomes) expect(outcome).to.deep.equal(DONE);
      const box = await treasury.cashLedger();
      expect(box).to.have.length(1);
      const { member_id } = treasury.group.m;
      const moved = { id, kind, amount: 500, balance_after: 500, member_id, reference: 'in hand' };
      expect(box[0]).to.deep.include(moved);
      expect(await treasury.balances()).to.deep.include({ reserved: 0, cash: 500, ...holds });
      expect(await treasury.told()).to.deep.equal(['cash.recorded', 'cash.confirmed']);
      expect(told(id)).to.deep.equal('meeting_id' in given ? { paid: true, code: null } : undefined);
      expect(await treasury.isObliged()).to.equal(false);
    });

    for (const decision of ['rejected', 'expired', 'cancelled'] as const) {
      it(`does not go into ${place} when its approval is ${decision}`, async () => {
        const { id } = await treasury.recordCash(given);
        expect(await treasury.decide(id, decision)).to.deep.equal(DONE);
        expect(await treasury.decide(id, decision)).to.deep.equal(DONE);
        expect(told(id)).to.deep.equal('meeting_id' in given ? { paid: false, code: decision } : undefined);
        expect(await treasury.balances()).to.deep.include({ treasury: 0, cash: 0, pools: [] });
        expect(await statuses()).to.deep.equal(['rejected']);
        expect(await treasury.told()).to.deep.equal(['cash.recorded', 'cash.rejected']);
        expect(await treasury.isObliged()).to.equal(false);
      });
    }
  }

  it('names the meeting in its events', async () => {
    const { id } = await treasury.recordCash({ meeting_id });
    await treasury.decide(id, 'approved');
    const rows = await treasury.sql<{ of: string }>(
      `SELECT event #>> '{data,meeting_id}' AS of FROM outbox
       WHERE association_id = $1 AND type <> 'transfer.posted' ORDER BY position`,
      treasury.group.id,
    );
    expect(rows).to.deep.equal([{ of: meeting_id }, { of: meeting_id }]);
  });

  it('gives the due back when the ledger refuses the cash, and says why', async () => {
    const movement = legs('cash_funding', 'cash_treasury', Number.MAX_SAFE_INTEGER - 100);
    await treasury.transfer({ kind: 'cash_deposit', payer_user_id: null, ...movement });
    const { id } = await treasury.recordCash({ meeting_id });
    const failed = { status: 'failed', error: 'balance_limit_exceeded' };
    expect(await treasury.decide(id, 'approved')).to.deep.equal(failed);
    expect(await treasury.decide(id, 'approved')).to.deep.equal(failed);
    expect(told(id)).to.deep.equal({ paid: false, code: 'balance_limit_exceeded' });
    expect(await statuses()).to.deep.equal(['rejected']);
  });

  it('is listed newest first, page by page', async () => {
    for (const amount of [1, 2, 3]) await treasury.bringCash(amount);
    const page = (query: { limit: number; cursor?: string }) =>
      treasury.as(treasury.group.m.user_id, contract.cashLedger, { path: treasury.path(), query });
    const first = await page({ limit: 2 });
    const second = await page({ limit: 2, cursor: first.next_cursor ?? '' });
    expect([...first.data, ...second.data].map((each) => [each.amount, each.balance_after])).to.deep.equal([
      [3, 6],
      [2, 3],
      [1, 1],
    ]);
  });

  it('is refused in the contract’s order, and then not stored', async () => {
    const { group, governance } = treasury;
    for (const [code, given, user_id] of [
      ['not_found', {}, 'stranger'],
      ['role_not_allowed', { pin: 'wrong' }, group.m.user_id],
      ['amount_precision', { amount: 0.5, pin: 'wrong' }],
      ['pin_invalid', { pin: 'wrong', member_id: newId() }],
      ['not_found', { member_id: newId() }],
      ['not_found', { member_id: 'no-id' }],
    ] as const) {
      expect(await outcomeOf(treasury.recordCash(given, {}, user_id))).to.equal(code);
    }
    governance.next(checkEligibility, problem('no_eligible_approver'));
    expect(await outcomeOf(treasury.recordCash())).to.equal('no_eligible_approver');
    group.m.status = 'left';
    expect(await outcomeOf(treasury.recordCash())).to.equal('not_found');
    expect(await statuses()).to.deep.equal([]);
  });

  for (const [code, extras] of [
    ['not_found', {}],
    ['meeting_not_open', {}],
    ['contribution_exceeds_due', { outstanding: 120 }],
  ] as const) {
    it(`for a meeting is refused with ${code} as by the contribution service, and no board is asked`, async () => {
      treasury.contribution.next(takeCash, problem(code, extras));
      const refusal = await treasury.recordCash({ meeting_id }).catch((error: unknown) => error);
      expect((refusal as { type: string }).type).to.equal(code);
      expect(problemExtras(refusal)).to.deep.equal(extras);
      expect(await statuses()).to.deep.equal(['refused']);
      const id = await onlyId();
      expect(() => treasury.governance.approvalOf(id)).to.throw();
      expect(await treasury.told()).to.deep.equal([]);
      expect(await treasury.isObliged()).to.equal(false);
    });
  }

  for (const [mishap, code] of [
    [problem('no_eligible_approver'), 'no_eligible_approver'],
    ['away', 'service_unavailable'],
  ] as const) {
    for (const given of [{}, { meeting_id }]) {
      const what = 'meeting_id' in given ? 'gives its due back' : 'is not kept';
      it(`${what} when governance opens no approval: ${code}`, async () => {
        treasury.governance.next(requestApproval, mishap);
        expect(await outcomeOf(treasury.recordCash(given))).to.equal(code);
        expect(await statuses()).to.deep.equal(['refused']);
        expect(told(await onlyId())).to.deep.equal('meeting_id' in given ? { paid: false, code } : undefined);
        expect(await treasury.told()).to.deep.equal([]);
        expect(await treasury.isObliged()).to.equal(false);
      });
    }
  }

  it('says what governance said though the due can only be given back later', async () => {
    treasury.governance.next(requestApproval, problem('no_eligible_approver'));
    treasury.contribution.next(decideCash, 'away', 'request_lost');
    expect(await outcomeOf(treasury.recordCash({ meeting_id }))).to.equal('no_eligible_approver');
    await eventually(async () => expect(await statuses()).to.deep.equal(['refused']));
    expect(told(await onlyId())).to.deep.equal({ paid: false, code: 'no_eligible_approver' });
  });

  it('for a meeting is not kept when the contribution service is away', async () => {
    treasury.contribution.next(takeCash, 'away');
    expect(await outcomeOf(treasury.recordCash({ meeting_id }))).to.equal('service_unavailable');
    expect(await statuses()).to.deep.equal(['refused']);
  });

  for (const mishap of ['request_lost', 'answer_lost'] as const) {
    for (const service of ['governance', 'contribution'] as const) {
      it(`comes to its approval though a ${mishap.replace('_', ' was ')} between it and ${service}`, async () => {
        if (service === 'governance') treasury.governance.next(requestApproval, mishap);
        else treasury.contribution.next(takeCash, mishap);
        expect(await outcomeOf(treasury.recordCash({ meeting_id }))).to.equal('outcome_unknown');
        await eventually(async () => expect(await statuses()).to.deep.equal(['pending_approval']));
        expect(await treasury.told()).to.deep.equal(['cash.recorded']);
        expect(treasury.contribution.taken.has(await onlyId())).to.equal(true);
      });
    }

    it(`is confirmed once though the ${mishap.replace('_', ' was ')} that it is paid`, async () => {
      const { id } = await treasury.recordCash({ meeting_id });
      treasury.contribution.next(decideCash, mishap);
      expect(await outcomeOf(treasury.decide(id, 'approved'))).to.equal('internal_error');
      await eventually(async () => expect(await statuses()).to.deep.equal(['confirmed']));
      expect(await treasury.balances()).to.deep.include({ cash: 500 });
    });
  }

  it('takes a decision though the opening of its approval was never answered', async () => {
    treasury.governance.next(requestApproval, 'answer_lost');
    await outcomeOf(treasury.recordCash());
    expect(await treasury.decide(await onlyId(), 'approved')).to.deep.equal(DONE);
    expect(await treasury.told()).to.deep.equal(['cash.recorded', 'cash.confirmed']);
  });

  it('knows no decision on what it has not', async () => {
    const input = { approval_id: newId(), ...treasury.path(), subject_id: newId(), payload: {} };
    for (const subject_type of ['cash_deposit', 'distribution', 'role_change'] as const) {
      const outcome = await treasury.command(contract.executeApproval, {
        ...input,
        subject_type,
        decision: 'approved',
      });
      expect(outcome).to.deep.equal({ status: 'failed', error: 'not_found' });
    }
  });

  for (const state of ['taking', 'taking.acted', 'recording', 'recording.acted']) {
    it(`comes to the board once after a stop at ${state}`, async () => {
      treasury.failAt(`treasury.cash_deposit.${state}`);
      expect(await outcomeOf(treasury.recordCash({ meeting_id }))).to.equal('outcome_unknown');
      await eventually(async () => expect(await statuses()).to.deep.equal(['pending_approval']));
      expect(await treasury.told()).to.deep.equal(['cash.recorded']);
    });
  }

  it('has given its due back after a stop at withdrawing.acted', async () => {
    treasury.failAt('treasury.cash_deposit.withdrawing.acted');
    treasury.governance.next(requestApproval, problem('no_eligible_approver'));
    expect(await outcomeOf(treasury.recordCash({ meeting_id }))).to.equal('no_eligible_approver');
    await eventually(async () => expect(await statuses()).to.deep.equal(['refused']));
    expect(told(await onlyId())?.paid).to.equal(false);
  });

  for (const [decision, state, end] of [
    ['approved', 'confirming', 'confirmed'],
    ['approved', 'confirming.acted', 'confirmed'],
    ['approved', 'crediting.acted', 'confirmed'],
    ['rejected', 'dropping', 'rejected'],
    ['rejected', 'dropping.acted', 'rejected'],
  ] as const) {
    it(`ends ${end} after a stop at ${state}, without a further word from governance`, async () => {
      const { id } = await treasury.recordCash({ meeting_id });
      treasury.failAt(`treasury.cash_deposit.${state}`);
      expect(await outcomeOf(treasury.decide(id, decision))).to.equal('internal_error');
      await eventually(async () => expect(await statuses()).to.deep.equal([end]));
      expect(await treasury.balances()).to.deep.include({ cash: end === 'confirmed' ? 500 : 0 });
      expect(told(id)?.paid).to.equal(end === 'confirmed');
      expect(await treasury.told()).to.have.length(2);
    });
  }
});
