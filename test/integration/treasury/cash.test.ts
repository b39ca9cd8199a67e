import { expect } from 'chai';
import { decideCash, takeCash } from '../../../lib/contracts/contribution.ts';
import { checkEligibility, requestApproval } from '../../../lib/contracts/governance.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { eventually } from '../../harness/eventually.ts';
import { DONE, failed } from '../../harness/fakes/fake.ts';
import { atOnce, outcomeOf, refusalOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

describe('treasury: cash', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  const meeting_id = newId();

  const record = (given: object = { meeting_id }) => treasury.recordCash(given);
  const statuses = () => treasury.statuses('cash_deposits');
  /** Waits until recovery has brought the only deposit to this state. */
  const ends = (status: string) => eventually(async () => expect(await statuses()).to.deep.equal([status]));
  const onlyId = async () => (await treasury.requests('cash_deposits'))[0]?.id ?? '';
  /** The decision on the deposit of which the contribution service was notified. */
  const decisionOf = (id: string) => treasury.contribution.decided.get(id);

  const PLACES = [
    {
      place: 'the treasury',
      given: {},
      kind: 'cash_deposit',
      holds: { treasury: 500, available: 500, pools: [] },
    },
    {
      place: 'the meeting’s pool',
      given: { meeting_id },
      kind: 'cash_contribution',
      holds: { treasury: 0, available: 0, pools: [{ meeting_id, amount: 500, cash_amount: 500 }] },
    },
  ];
  for (const { place, given, kind, holds } of PLACES) {
    describe(`for ${place}`, () => {
      /** The expected value for a meeting, and undefined otherwise: contribution is called only for a meeting. */
      const ofMeeting = <T>(value: T) => ('meeting_id' in given ? value : undefined);

      it('is recorded and waits for the approval of the board before it moves', async () => {
        const { id: association_id, m, t } = treasury.group;
        const deposit = await record(given);
        const { id, approval_id } = deposit;
        const { member_id } = m;
        expect(deposit).to.deep.include({
          association_id,
          member_id,
          amount: 500,
          currency: 'XAF',
          reason: 'in hand',
          meeting_id: ofMeeting(meeting_id) ?? null,
          status: 'pending_approval',
          recorded_by_member_id: t.member_id,
        });
        const approval = `/associations/${association_id}/governance/approvals/${approval_id}`;
        expect(treasury.headOf(deposit).location).to.equal(`/association-service/api/v1${approval}`);
        expect(treasury.governance.approvalOf(id)).to.deep.include({
          approval_id,
          subject_type: 'cash_deposit',
          requested_by_member_id: t.member_id,
          concerned_member_id: member_id,
          payload: { member_id, amount: 500, currency: 'XAF', reason: 'in hand', ...given },
        });
        expect(treasury.contribution.taken.get(id)).to.deep.equal(
          ofMeeting({
            association_id,
            meeting_id,
            contribution_id: id,
            member_id,
            amount_minor: 500,
            currency: 'XAF',
            metadata: undefined,
          }),
        );
        expect(decisionOf(id)).to.equal(undefined);
        expect(await treasury.cashLedger()).to.deep.equal([]);
        expect((await treasury.balances()).pools).to.deep.equal([]);
        expect(await treasury.publishedTypes()).to.deep.equal(['cash.recorded']);
        expect([await treasury.isObliged(), await treasury.isObliged(t)]).to.deep.equal([true, false]);
      });

      it('moves there once when it is approved, even if the decision is repeated', async () => {
        const { id } = await record(given);
        const outcomes = await Promise.all(atOnce(5, () => treasury.decide(id, 'approved')));
        outcomes.push(await treasury.decide(id, 'approved'));
        for (const outcome of outcomes) expect(outcome).to.deep.equal(DONE);
        const [entry, ...more] = await treasury.cashLedger();
        const { member_id } = treasury.group.m;
        const moved = { id, kind, amount: 500, balance_after: 500, member_id, reference: 'in hand' };
        expect(entry).to.deep.include(moved);
        expect(more).to.deep.equal([]);
        expect(await treasury.balances()).to.deep.include({ reserved: 0, cash: 500, ...holds });
        expect(await treasury.publishedTypes()).to.deep.equal(['cash.recorded', 'cash.confirmed']);
        expect(decisionOf(id)).to.deep.equal(ofMeeting({ paid: true, code: null }));
        expect(await treasury.isObliged()).to.equal(false);
      });

      for (const decision of ['rejected', 'expired', 'cancelled'] as const) {
        it(`does not move there when its approval is ${decision}`, async () => {
          const { id } = await record(given);
          for (let times = 0; times < 2; times += 1) {
            expect(await treasury.decide(id, decision)).to.deep.equal(DONE);
          }
          expect(decisionOf(id)).to.deep.equal(ofMeeting({ paid: false, code: decision }));
          expect(await treasury.balances()).to.deep.include({ treasury: 0, cash: 0, pools: [] });
          expect(await statuses()).to.deep.equal(['rejected']);
          expect(await treasury.publishedTypes()).to.deep.equal(['cash.recorded', 'cash.rejected']);
          expect(await treasury.isObliged()).to.equal(false);
        });
      }

      for (const [mishap, code] of [
        [problem('no_eligible_approver'), 'no_eligible_approver'],
        ['unavailable', 'service_unavailable'],
      ] as const) {
        it(`is refused, and its due released, when governance opens no approval: ${code}`, async () => {
          treasury.governance.next(requestApproval, mishap);
          expect(await outcomeOf(record(given))).to.equal(code);
          expect(await statuses()).to.deep.equal(['refused']);
          expect(decisionOf(await onlyId())).to.deep.equal(ofMeeting({ paid: false, code }));
          expect(await treasury.publishedTypes()).to.deep.equal([]);
          expect(await treasury.isObliged()).to.equal(false);
        });
      }
    });
  }

  it('names the meeting in its events', async () => {
    const { id } = await record();
    await treasury.decide(id, 'approved');
    const events = (await treasury.events(treasury.group.id)).filter(({ type }) => type.startsWith('cash.'));
    expect(events).to.have.length(2);
    for (const { data } of events) expect(data).to.include({ meeting_id });
  });

  it('releases the due, with the reason, when the ledger refuses the cash', async () => {
    const movement = legs('cash_funding', 'cash_treasury', Number.MAX_SAFE_INTEGER - 100);
    await treasury.transfer({ kind: 'cash_deposit', payer_user_id: null, ...movement });
    const { id } = await record();
    for (let times = 0; times < 2; times += 1) {
      expect(await treasury.decide(id, 'approved')).to.deep.equal(failed('balance_limit_exceeded'));
    }
    expect(decisionOf(id)).to.deep.equal({ paid: false, code: 'balance_limit_exceeded' });
    expect(await statuses()).to.deep.equal(['rejected']);
  });

  it('is listed newest first, in pages', async () => {
    for (const amount of [1, 2, 3]) await treasury.bringCash(amount);
    const entries = await treasury.listed<{ amount: number; balance_after: number }>(contract.cashLedger, 2);
    expect(entries.map((each) => [each.amount, each.balance_after])).to.deep.equal([
      [3, 6],
      [2, 3],
      [1, 1],
    ]);
  });

  it('is refused in the documented order of refusals, and then not stored', async () => {
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
    expect(await outcomeOf(record({}))).to.equal('no_eligible_approver');
    group.m.status = 'left';
    expect(await outcomeOf(record({}))).to.equal('not_found');
    expect(await statuses()).to.deep.equal([]);
  });

  for (const [code, mishap, extras] of [
    ['not_found', problem('not_found'), {}],
    ['meeting_not_open', problem('meeting_not_open'), {}],
    ['contribution_exceeds_due', problem('contribution_exceeds_due', { outstanding: 120 }), { outstanding: 120 }],
    ['service_unavailable', 'unavailable', {}],
  ] as const) {
    it(`is refused with ${code}, without an approval, if the contribution service does not reserve the due`, async () => {
      treasury.contribution.next(takeCash, mishap);
      expect(await refusalOf(record())).to.deep.equal({ code, extras });
      expect(await statuses()).to.deep.equal(['refused']);
      expect(treasury.governance.opened.has(await onlyId())).to.equal(false);
      expect(treasury.governance.received(requestApproval)).to.deep.equal([]);
      expect(await treasury.publishedTypes()).to.deep.equal([]);
      expect(await treasury.isObliged()).to.equal(false);
    });
  }

  for (const mishap of ['request_lost', 'answer_lost'] as const) {
    for (const service of ['governance', 'contribution'] as const) {
      it(`gets its approval even if a call to ${service} fails with ${mishap}`, async () => {
        if (service === 'governance') treasury.governance.next(requestApproval, mishap);
        else treasury.contribution.next(takeCash, mishap);
        expect(await outcomeOf(record())).to.equal('outcome_unknown');
        await ends('pending_approval');
        expect(await treasury.publishedTypes()).to.deep.equal(['cash.recorded']);
        expect(treasury.contribution.taken.has(await onlyId())).to.equal(true);
      });
    }

    it(`is confirmed once even if the call that marks it paid fails with ${mishap}`, async () => {
      const { id } = await record();
      treasury.contribution.next(decideCash, mishap);
      expect(await outcomeOf(treasury.decide(id, 'approved'))).to.equal('internal_error');
      await ends('confirmed');
      expect(await treasury.balances()).to.deep.include({ cash: 500 });
    });
  }

  it('accepts a decision even if the request of its approval was never answered', async () => {
    treasury.governance.next(requestApproval, 'answer_lost');
    expect(await outcomeOf(record({}))).to.equal('outcome_unknown');
    expect(await treasury.decide(await onlyId(), 'approved')).to.deep.equal(DONE);
    expect(await treasury.publishedTypes()).to.deep.equal(['cash.recorded', 'cash.confirmed']);
  });

  for (const subject_type of ['cash_deposit', 'distribution', 'role_change'] as const) {
    it(`makes a decision on an unknown ${subject_type} fail with not_found`, async () => {
      const ids = { approval_id: newId(), subject_id: newId(), ...treasury.path() };
      const decided = { ...ids, subject_type, decision: 'approved', payload: {} } as const;
      expect(await treasury.command(contract.executeApproval, decided)).to.deep.equal(failed('not_found'));
    });
  }

  for (const state of ['taking', 'taking.acted', 'recording', 'recording.acted']) {
    it(`gets one approval after a failure at ${state}`, async () => {
      treasury.failAt(`treasury.cash_deposit.${state}`);
      expect(await outcomeOf(record())).to.equal('outcome_unknown');
      await ends('pending_approval');
      expect(await treasury.publishedTypes()).to.deep.equal(['cash.recorded']);
    });
  }

  for (const [cause, prevent] of [
    ['after a failure at withdrawing.acted', () => treasury.failAt('treasury.cash_deposit.withdrawing.acted')],
    [
      'if contribution is unavailable at first',
      () => treasury.contribution.next(decideCash, 'unavailable', 'request_lost'),
    ],
  ] as const) {
    it(`passes on the refusal of governance, and releases its due later, ${cause}`, async () => {
      treasury.governance.next(requestApproval, problem('no_eligible_approver'));
      prevent();
      expect(await outcomeOf(record())).to.equal('no_eligible_approver');
      await ends('refused');
      expect(decisionOf(await onlyId())).to.deep.equal({ paid: false, code: 'no_eligible_approver' });
    });
  }

  for (const [decision, state, end] of [
    ['approved', 'confirming', 'confirmed'],
    ['approved', 'confirming.acted', 'confirmed'],
    ['approved', 'crediting.acted', 'confirmed'],
    ['rejected', 'dropping', 'rejected'],
    ['rejected', 'dropping.acted', 'rejected'],
  ] as const) {
    it(`is ${end} after a failure at ${state}, without another call of governance`, async () => {
      const { id } = await record();
      treasury.failAt(`treasury.cash_deposit.${state}`);
      expect(await outcomeOf(treasury.decide(id, decision))).to.equal('internal_error');
      await ends(end);
      expect(await treasury.balances()).to.deep.include({ cash: end === 'confirmed' ? 500 : 0 });
      expect(decisionOf(id)?.paid).to.equal(end === 'confirmed');
      expect(await treasury.publishedTypes()).to.have.length(2);
    });
  }
});
