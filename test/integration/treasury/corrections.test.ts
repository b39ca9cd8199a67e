import { expect } from 'chai';
import { checkReversal, finishReversal, takeBack } from '../../../lib/contracts/contribution.ts';
import { checkEligibility, requestApproval } from '../../../lib/contracts/governance.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { eventually } from '../../harness/eventually.ts';
import { DONE, failed } from '../../harness/fakes/fake.ts';
import { atOnce, outcomeOf, outcomesOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

describe('treasury: corrections', () => {
  const treasury = useTreasury();
  const { newId } = treasury;

  const statuses = () => treasury.statuses('corrections');
  /** Waits until recovery has brought the only correction to this state. */
  const ends = (status: string) => eventually(async () => expect(await statuses()).to.deep.equal([status]));
  const onlyId = async () => (await treasury.requests('corrections'))[0]?.id ?? '';
  const ledger = async () => (await treasury.exportLedger()).transfers;
  const reversals = async () => (await ledger()).filter(({ kind }) => kind === 'reversal');
  /** The balances of all accounts of the ledger that are not at zero. */
  const balances = () =>
    treasury.sql<{ account_id: string; balance: string }>(
      `SELECT account_id, balance::text FROM accounts WHERE balance <> 0 ORDER BY account_id`,
    );

  /** Pays a fine of the member from their wallet. @returns the id of the payment */
  const payFine = async () => {
    await treasury.deposit(treasury.wallet().slice('wallet:'.length), 500);
    return (await treasury.transfer({ kind: 'fine_payment', ...legs(treasury.wallet(), 'treasury', 500) })).id;
  };
  /** Pays 300 from the treasury to the member. @returns the id of the payment */
  const distribute = async () => {
    const { id } = await treasury.distribute();
    await treasury.decide(id, 'approved');
    const { data } = await treasury.as(treasury.group.m.user_id, contract.listDistributions, { path: treasury.path() });
    return data[0]!.payouts[0]!.transfer_id;
  };
  /** Posts a sheet with cash of the member and of another one. @returns its id */
  const postSheet = async () => {
    const { m, s } = treasury.group;
    const paid = [m, s].map(({ member_id }) => ({ account: 'cash_funding', amount_minor: -250, member_id }));
    const received = { account: 'cash_treasury', amount_minor: 500 };
    const by = { payer_user_id: null, member_id: null };
    return (await treasury.transfer({ kind: 'meeting_sheet', legs: [...paid, received], ...by })).id;
  };
  const bringForMeeting = async () => {
    const { id } = await treasury.recordCash({ meeting_id: newId() });
    await treasury.decide(id, 'approved');
    return id;
  };

  /** The kinds that can be reversed: how each comes about, and what of it the treasury itself shows. */
  const KINDS = [
    { kind: 'contribution', make: () => treasury.contributed(), inContribution: true },
    { kind: 'cash_contribution', make: bringForMeeting, inContribution: true, own: 'cash_deposits' },
    { kind: 'fine_payment', make: payFine, inContribution: true },
    { kind: 'meeting_sheet', make: postSheet, inContribution: true, ofMany: true },
    { kind: 'cash_deposit', make: () => treasury.bringCash(500), inContribution: false, own: 'cash_deposits' },
  ] as const;

  for (const { kind, make, inContribution, ...more } of KINDS) {
    describe(`of a ${kind}`, () => {
      it('wait for the board, and then reverse the transfer and what it had paid, once', async () => {
        const { id: association_id, m, t } = treasury.group;
        // A sheet is of several members, so none of them is kept from leaving.
        const isOfMany = 'ofMany' in more;
        const member_id = isOfMany ? null : m.member_id;
        await treasury.endow(1_000);
        const before = await balances();
        const transfer_id = await make();
        const paid = await balances();
        const correction = await treasury.correct(transfer_id);
        const { id, approval_id } = correction;
        const about = { association_id, transfer_id, reason: 'entered twice', requested_by_member_id: t.member_id };
        expect(correction).to.deep.include({ ...about, status: 'pending_approval', error: null, decided_at: null });
        expect(correction.reversal_transfer_id).to.equal(null);
        expect(treasury.headOf(correction).location).to.match(
          new RegExp(`/associations/${association_id}/corrections/${id}$`),
        );
        expect(treasury.governance.approvalOf(id)).to.deep.include({
          approval_id,
          subject_type: 'correction',
          requested_by_member_id: t.member_id,
          concerned_member_id: null,
          payload: { transfer_id, kind, amount: 500, currency: 'XAF', reason: 'entered twice', member_id },
        });
        expect(await balances()).to.deep.equal(paid);
        expect([await treasury.isObliged(), await treasury.isObliged(t)]).to.deep.equal([!isOfMany, false]);

        for (let times = 0; times < 3; times += 1) expect(await treasury.decide(id, 'approved')).to.deep.equal(DONE);
        const done = await treasury.correction(id);
        expect(done).to.deep.include({ ...about, status: 'done', error: null, reversal_transfer_id: id });
        expect(done.decided_at).to.be.a('string');
        const [reversal, ...others] = await reversals();
        const original = (await ledger()).find((each) => each.id === transfer_id)!;
        expect(others).to.deep.equal([]);
        expect(reversal).to.deep.include({ id, reference: transfer_id, currency: 'XAF' });
        expect(reversal!.legs).to.deep.equal(original.legs.map((leg) => ({ ...leg, amount_minor: -leg.amount_minor })));
        // The member has their e-money again. It came from a bank, so only accounts of the association are as before.
        const ofAssociation = ({ account_id }: { account_id: string }) => account_id.startsWith(association_id);
        expect((await balances()).filter(ofAssociation)).to.deep.equal(before.filter(ofAssociation));
        expect(treasury.contribution.reversals.get(id)).to.equal(inContribution ? 'reversed' : undefined);
        if ('own' in more) expect(await treasury.statuses(more.own)).to.deep.equal(['reversed']);
        expect(await treasury.isObliged()).to.equal(false);
        const [event, ...repeated] = await treasury.events(association_id, 'transfer.reversed');
        expect(repeated).to.deep.equal([]);
        expect(event?.data).to.deep.equal({
          transfer_id,
          kind,
          reversal_transfer_id: id,
          correction_id: id,
          approval_id,
        });
        expect(await outcomeOf(treasury.correct(transfer_id))).to.equal('already_reversed');
        expect(await outcomeOf(treasury.correct(id))).to.equal('not_reversible');
      });

      it('show on the statement of the member whose payment it was', async () => {
        await treasury.endow(1_000);
        const { id } = await treasury.correct(await make());
        await treasury.decide(id, 'approved');
        const statement = await treasury.as(treasury.group.m.user_id, contract.statement, { path: treasury.path() });
        const amount = 'ofMany' in more ? 250 : 500;
        expect(statement.movements.map((each) => each.amount)).to.deep.equal([amount, -amount]);
        expect(statement.movements[1]).to.deep.include({ kind: 'reversal', transfer_id: id, balance_after: 0 });
      });

      for (const decision of ['rejected', 'expired', 'cancelled'] as const) {
        it(`change nothing when the approval is ${decision}, and can then be requested again`, async () => {
          const transfer_id = await make();
          const paid = await balances();
          const { id } = await treasury.correct(transfer_id);
          for (let times = 0; times < 2; times += 1) expect(await treasury.decide(id, decision)).to.deep.equal(DONE);
          expect(await treasury.correction(id)).to.deep.include({ status: 'rejected', reversal_transfer_id: null });
          expect(await balances()).to.deep.equal(paid);
          expect(treasury.contribution.reversals.has(id)).to.equal(false);
          expect(await outcomeOf(treasury.correct(transfer_id))).to.equal('done');
        });
      }

      for (const step of ['taking_back', 'posting', 'finishing', 'done']) {
        const isReached = inContribution || step === 'posting' || step === 'done';
        if (!isReached) continue;
        for (const point of step === 'done' ? [step] : [step, `${step}.acted`]) {
          it(`are done once, if the process dies at ${point}`, async () => {
            await treasury.endow(1_000);
            const { id } = await treasury.correct(await make());
            await treasury.dieAt(`treasury.correction.${point}`, () => treasury.decide(id, 'approved'));
            await ends('done');
            expect(await treasury.decide(id, 'approved')).to.deep.equal(DONE);
            expect(await reversals()).to.have.length(1);
            expect(await treasury.events(treasury.group.id, 'transfer.reversed')).to.have.length(1);
            if ('own' in more) expect(await treasury.statuses(more.own)).to.deep.equal(['reversed']);
          });
        }
      }
    });
  }

  describe('of a distribution', () => {
    beforeEach(() => treasury.endow(200));

    it('reverse its payment and its reserve, so that the treasury has its money again', async () => {
      await treasury.bringCash(100);
      const before = await balances();
      const transfer_id = await distribute();
      const { id } = await treasury.correct(transfer_id);
      const { m } = treasury.group;
      expect(treasury.governance.approvalOf(id).concerned_member_id).to.equal(m.member_id);
      expect(treasury.governance.approvalOf(id).payload).to.deep.include({ kind: 'distribution_payment', amount: 300 });
      expect(await treasury.decide(id, 'approved')).to.deep.equal(DONE);
      expect(await balances()).to.deep.equal(before);
      expect(await treasury.balances()).to.deep.include({ treasury: 300, reserved: 0, cash: 100, available: 300 });
      const [payment, reserve] = await reversals();
      expect(payment).to.deep.include({ id, reference: transfer_id });
      const reserved = (await ledger()).find(({ kind }) => kind === 'distribution_reserve')!;
      expect(reserve!.reference).to.equal(reserved.id);
      expect(await treasury.statuses('distributions')).to.deep.equal(['reversed']);
      const shown = await treasury.as(m.user_id, contract.listDistributions, {
        path: treasury.path(),
        query: { status: 'reversed', limit: 10 },
      });
      expect(shown.data.map((each) => each.status)).to.deep.equal(['reversed']);
    });

    it('fail with insufficient_funds once the beneficiary has spent the money, and change nothing', async () => {
      const { m } = treasury.group;
      await treasury.bringCash(100);
      const transfer_id = await distribute();
      await treasury.withdraw(m.payout_wallet_id!, 1);
      const paid = await balances();
      const { id } = await treasury.correct(transfer_id);
      expect(await treasury.decide(id, 'approved')).to.deep.equal(failed('insufficient_funds'));
      expect(await treasury.correction(id)).to.deep.include({ status: 'failed', error: 'insufficient_funds' });
      expect(await balances()).to.deep.equal(paid);
      expect(await treasury.statuses('distributions')).to.deep.equal(['paid']);
      // With the money back, another correction is done.
      await treasury.deposit(m.payout_wallet_id!, 1);
      const again = await treasury.correct(transfer_id);
      expect(await treasury.decide(again.id, 'approved')).to.deep.equal(DONE);
    });

    it('are not requested by its reserve', async () => {
      await treasury.bringCash(100);
      await distribute();
      const reserve = (await ledger()).find(({ kind }) => kind === 'distribution_reserve')!;
      expect(await outcomeOf(treasury.correct(reserve.id))).to.equal('not_reversible');
    });

    for (const point of ['posting', 'posting.acted', 'posting_reserve', 'posting_reserve.acted', 'done']) {
      it(`are done once, if the process dies at ${point}`, async () => {
        await treasury.bringCash(100);
        const before = await balances();
        const { id } = await treasury.correct(await distribute());
        await treasury.dieAt(`treasury.correction.${point}`, () => treasury.decide(id, 'approved'));
        await ends('done');
        expect(await balances()).to.deep.equal(before);
        expect(await reversals()).to.have.length(2);
      });
    }
  });

  describe('that the ledger refuses', () => {
    /** A payment of a fine whose money the treasury has spent. */
    const spent = async () => {
      const transfer_id = await payFine();
      const { id } = await treasury.distribute({ amount: 500 });
      await treasury.decide(id, 'approved');
      return transfer_id;
    };

    it('fail, and contribution gets its state back', async () => {
      const transfer_id = await spent();
      const { id } = await treasury.correct(transfer_id);
      for (let times = 0; times < 2; times += 1) {
        expect(await treasury.decide(id, 'approved')).to.deep.equal(failed('insufficient_funds'));
      }
      expect(treasury.contribution.reversals.get(id)).to.equal('restored');
      expect(await treasury.correction(id)).to.deep.include({ status: 'failed', error: 'insufficient_funds' });
      expect(await treasury.isObliged()).to.equal(false);
      expect(await treasury.events(treasury.group.id, 'transfer.reversed')).to.deep.equal([]);
      expect(await outcomeOf(treasury.correct(transfer_id))).to.equal('done');
    });

    for (const point of ['posting.acted', 'restoring', 'restoring.acted', 'failed']) {
      it(`fail if the process dies at ${point}`, async () => {
        const { id } = await treasury.correct(await spent());
        await treasury.dieAt(`treasury.correction.${point}`, () => treasury.decide(id, 'approved'));
        await ends('failed');
        expect(treasury.contribution.reversals.get(id)).to.equal('restored');
      });
    }
  });

  it('fail when contribution can no longer take back what the transfer had paid', async () => {
    const { id } = await treasury.correct(await treasury.contributed());
    treasury.contribution.next(takeBack, problem('meeting_not_open'));
    expect(await treasury.decide(id, 'approved')).to.deep.equal(failed('meeting_not_open'));
    expect(await treasury.correction(id)).to.deep.include({ status: 'failed', error: 'meeting_not_open' });
    expect(await reversals()).to.deep.equal([]);
  });

  it('are done once, whatever happens to the calls of contribution', async () => {
    for (const fault of ['request_lost', 'answer_lost', 'unavailable'] as const) {
      for (const command of [takeBack, finishReversal]) {
        const { id } = await treasury.correct(await treasury.contributed());
        treasury.contribution.next(command, fault);
        await outcomeOf(treasury.decide(id, 'approved'));
        await eventually(async () => expect((await treasury.correction(id)).status).to.equal('done'));
        expect(treasury.contribution.reversals.get(id)).to.equal('reversed');
      }
    }
    expect(await reversals()).to.have.length(6);
  });

  it('wait until the deposit is confirmed whose cash has moved', async () => {
    const deposit = await treasury.recordCash();
    const { there, goOn } = treasury.holdAt('treasury.cash_deposit.confirming.acted');
    const confirming = treasury.decide(deposit.id, 'approved');
    await there;
    const { id } = await treasury.correct(deposit.id);
    expect(await outcomeOf(treasury.decide(id, 'approved'))).to.equal('service_unavailable');
    goOn();
    expect(await confirming).to.deep.equal(DONE);
    await ends('done');
    expect(await treasury.statuses('cash_deposits')).to.deep.equal(['reversed']);
  });

  describe('are refused', () => {
    it('for unknown transfers, those of others, and kinds that cannot be reversed', async () => {
      const { m } = treasury.group;
      const foreign = await treasury.contributed();
      const elsewhere = await treasury.deposit(m.payout_wallet_id!, 500);
      treasury.group = await treasury.newGroup();
      const deposit = await treasury.deposit(treasury.group.m.payout_wallet_id!, 500);
      const withdrawal = await treasury.withdraw(treasury.group.m.payout_wallet_id!, 10);
      const own = await treasury.contributed();
      for (const id of [newId(), foreign, elsewhere.id])
        expect(await outcomeOf(treasury.correct(id))).to.equal('not_found');
      for (const id of [deposit.id, withdrawal.id]) {
        expect(await outcomeOf(treasury.correct(id))).to.equal('not_reversible');
      }
      for (const kind of ['arrears_payment', 'settlement', 'meeting_refund'] as const) {
        await treasury.deposit(treasury.group.m.payout_wallet_id!, 5);
        const { id } = await treasury.transfer({ kind, ...legs(treasury.wallet(), 'treasury', 5) });
        expect(await outcomeOf(treasury.correct(id))).to.equal('not_reversible');
      }
      expect(await statuses()).to.deep.equal([]);
      expect(await outcomeOf(treasury.correct(own))).to.equal('done');
    });

    it('in the order of the contract: role, PIN, transfer, kind, earlier correction, meeting, approver', async () => {
      const { m, s } = treasury.group;
      const id = await treasury.contributed();
      const { contribution, governance } = treasury;
      const by = (user_id: string, given = {}) => outcomeOf(treasury.correct(newId(), given, {}, user_id));
      expect(await by(m.user_id, { pin: 'wrong' })).to.equal('role_not_allowed');
      expect(await by(s.user_id)).to.equal('role_not_allowed');
      expect(await by(treasury.group.p.user_id, { pin: 'wrong' })).to.equal('pin_invalid');
      expect(await by(treasury.group.p.user_id)).to.equal('not_found');
      contribution.next(checkReversal, problem('meeting_not_open'));
      expect(await outcomeOf(treasury.correct(id))).to.equal('meeting_not_open');
      governance.next(checkEligibility, problem('no_eligible_approver'));
      expect(await outcomeOf(treasury.correct(id))).to.equal('no_eligible_approver');
      governance.next(requestApproval, problem('no_eligible_approver'));
      expect(await outcomeOf(treasury.correct(id))).to.equal('no_eligible_approver');
      expect(await statuses()).to.deep.equal(['refused']);
      expect(await outcomeOf(treasury.correction(await onlyId()))).to.equal('not_found');
      await treasury.correct(id);
      contribution.next(checkReversal, problem('meeting_not_open'));
      expect(await outcomeOf(treasury.correct(id))).to.equal('already_reversed');
    });

    it('except one, when many are requested at once', async () => {
      const id = await treasury.contributed();
      const outcomes = await outcomesOf(atOnce(6, () => treasury.correct(id)));
      expect(outcomes).to.deep.equal([...Array<string>(5).fill('already_reversed'), 'done']);
    });

    it('when a service is unavailable, and can then be requested', async () => {
      const id = await treasury.contributed();
      treasury.governance.next(requestApproval, 'unavailable');
      expect(await outcomeOf(treasury.correct(id))).to.equal('service_unavailable');
      expect(await outcomeOf(treasury.correct(id))).to.equal('done');
    });
  });

  it('with a key are requested once', async () => {
    const id = await treasury.contributed();
    const key = newId();
    const first = await treasury.correct(id, {}, { key });
    const again = await treasury.correct(id, {}, { key });
    expect(again).to.deep.equal(first);
    expect(treasury.headOf(again).replayed).to.equal(true);
    expect(await statuses()).to.have.length(1);
  });

  it('are listed newest first, in pages, for members of the association only', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await treasury.correct(await treasury.contributed())).id);
    const listed = await treasury.listed<contract.Correction>(contract.listCorrections, 2);
    expect(listed.map(({ id }) => id)).to.deep.equal(ids);
    const other = await treasury.newGroup();
    const path = { association_id: other.id, correction_id: ids[0]! };
    expect(await outcomeOf(treasury.as(other.p.user_id, contract.getCorrection, { path }))).to.equal('not_found');
  });

  it('prevent a closure and the departure of their member while they are open', async () => {
    const { id: association_id, m } = treasury.group;
    const deposit = await treasury.bringCash(500);
    const lock = () =>
      treasury.command(contract.lockAssociation, { association_id, approval_id: newId(), dry_run: true });
    const leave = () =>
      treasury.command(contract.lockMembership, {
        association_id,
        member_id: m.member_id,
        tenure: 0,
        departure_id: newId(),
      });
    const { id } = await treasury.correct(deposit);
    expect([(await lock()).remains, (await leave()).locked]).to.deep.equal(['something', false]);
    await treasury.decide(id, 'approved');
    // The reversed deposit is over, and the cash box is empty.
    expect([(await lock()).remains, (await leave()).locked]).to.deep.equal(['nothing', true]);
  });

  it('are possible after their member has left', async () => {
    const { id: association_id, m } = treasury.group;
    const deposit = await treasury.bringCash(500);
    const departure = { association_id, member_id: m.member_id, tenure: 0, departure_id: newId() };
    await treasury.command(contract.lockMembership, departure);
    m.status = 'left';
    const { id } = await treasury.correct(deposit);
    expect(await treasury.decide(id, 'approved')).to.deep.equal(DONE);
  });

  it('do not change their columns, which only the decision moves on', async () => {
    const { id } = await treasury.correct(await treasury.contributed());
    const change = (set: string) => treasury.asRole(`UPDATE corrections SET ${set} WHERE id = '${id}'`);
    for (const set of ['transfer_id = id', 'amount = 1', 'member_id = NULL'])
      expect(await change(set)).to.equal('42501');
    expect(await treasury.asRole('DELETE FROM corrections')).to.equal('42501');
  });
});
