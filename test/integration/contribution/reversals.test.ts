import { expect } from 'chai';
import fc from 'fast-check';
import * as contract from '../../../lib/contracts/contribution.ts';
import type { Fine } from '../../../lib/contracts/contribution.ts';
import type { FineRule } from '../../../lib/contracts/membership.ts';
import { LATER, useContribution, type Group, type MeetingIds, type Person } from '../../harness/contribution.ts';
import { atOnce, outcomeOf, outcomesOf } from '../../harness/refusal.ts';

const FINES: FineRule[] = [{ code: 'late', trigger: 'late_payment', amount: 500, grace_days: 2, repeat: 'once' }];

describe('contribution: reversals', () => {
  const harness = useContribution();
  const { newId } = harness;

  const takeBack = ({ association_id }: { association_id: string }, transfer_id: string, correction_id = newId()) =>
    harness.command(contract.takeBack, { association_id, transfer_id, correction_id });
  const finish = ({ association_id }: { association_id: string }, correction_id: string, reversed: boolean) =>
    harness.command(contract.finishReversal, { association_id, correction_id, reversed });
  const check = ({ association_id }: { association_id: string }, transfer_id: string) =>
    outcomeOf(harness.command(contract.checkReversal, { association_id, transfer_id }));
  /** Takes a transfer back and reverses it. */
  const reverse = async (group: Group, transfer_id: string) => {
    const correction_id = newId();
    await takeBack(group, transfer_id, correction_id);
    await finish(group, correction_id, true);
    return correction_id;
  };
  const storedStatus = async (id: string) =>
    (await harness.sql<{ status: string }>('SELECT status FROM contributions WHERE id = $1', id))[0]?.status;
  const storedDue = async ({ id }: MeetingIds, { member_id }: Person) => {
    const rows = await harness.sql<{ paid: string; taken: string }>(
      'SELECT paid_minor AS paid, taken_minor AS taken FROM dues WHERE meeting_id = $1 AND member_id = $2',
      id,
      member_id,
    );
    return rows.map(({ paid, taken }) => [Number(paid), Number(taken)])[0];
  };

  describe('of a contribution', () => {
    it('take it out of the due while the ledger decides, and open the due again once it is reversed', async () => {
      const group = await harness.cycle([1, 1]);
      const { president, member, first } = group;
      const { id } = await harness.contribute(member, first, 6_000);
      const other = await harness.contribute(member, first, 4_000);
      const correction_id = newId();
      expect(await check(group, id)).to.equal('done');
      for (let times = 0; times < 2; times += 1) await takeBack(group, id, correction_id);
      expect(await storedDue(first, member)).to.deep.equal([4_000, 10_000]);
      // Clients see it as paid until it is decided, and its due cannot be paid by another one.
      expect(await harness.getContribution(president, first, id)).to.deep.include({ status: 'paid', transfer_id: id });
      expect(await outcomeOf(harness.contribute(member, first, 1))).to.equal('contribution_exceeds_due');

      for (let times = 0; times < 2; times += 1) await finish(group, correction_id, true);
      expect(await storedDue(first, member)).to.deep.equal([4_000, 4_000]);
      const shown = await harness.getContribution(president, first, id);
      expect(shown).to.deep.include({ status: 'reversed', transfer_id: id, outstanding: 6_000 });
      expect(shown.paid_at).to.be.a('string');
      const listed = await harness.contributions(president, first);
      expect(listed.map(({ status }) => status)).to.deep.equal(['paid', 'reversed']);
      expect(listed[0]!.id).to.equal(other.id);
      expect(await harness.due(member, first)).to.deep.include({ paid: 4_000, outstanding: 6_000 });
      expect((await harness.getMeeting(president, first)).collected_amount).to.equal(4_000);
      expect((await harness.contribute(member, first, 6_000)).outstanding).to.equal(0);
      expect(await outcomeOf(takeBack(group, id))).to.equal('already_reversed');
      await takeBack(group, id, correction_id);
      expect(await storedDue(first, member)).to.deep.equal([10_000, 10_000]);
    });

    it('let it count as before if the ledger refuses, and it can be taken back again', async () => {
      const group = await harness.cycle([1, 1]);
      const { president, member, first } = group;
      const { id } = await harness.contribute(member, first, 10_000);
      const before = await harness.getContribution(president, first, id);
      const correction_id = newId();
      await takeBack(group, id, correction_id);
      for (let times = 0; times < 2; times += 1) await finish(group, correction_id, false);
      // A late repeat of the first call takes nothing.
      await takeBack(group, id, correction_id);
      expect(await storedDue(first, member)).to.deep.equal([10_000, 10_000]);
      expect(await harness.getContribution(president, first, id)).to.deep.equal(before);
      await reverse(group, id);
      expect(await storedStatus(id)).to.equal('reversed');
    });

    it('reverse cash, and contributions outside a cycle', async () => {
      const group = await harness.groupWithMeeting();
      const { president, member, meeting } = group;
      await harness.bringCash(meeting, member, 700);
      const { id } = await harness.contribute(president, meeting, 300);
      const [, cash] = await harness.contributions(president, meeting);
      await reverse(group, cash!.id);
      expect((await harness.getMeeting(president, meeting)).collected_amount).to.equal(300);
      await reverse(group, id);
      expect(await harness.dues(president, meeting)).to.deep.equal([]);
    });

    it('are refused once its meeting is not open, for ever for this correction', async () => {
      const group = await harness.cycle([1, 1]);
      const { president, first, second, pay } = group;
      await pay(first);
      const [paid] = await harness.contributions(president, first);
      await harness.settle(president, first);
      expect(await check(group, paid!.id)).to.equal('meeting_not_open');
      const correction_id = newId();
      expect(await outcomeOf(takeBack(group, paid!.id, correction_id))).to.equal('meeting_not_open');
      // Nothing opens a settled meeting again, but a repeat must get the first outcome anyway.
      await harness.sql(`UPDATE meetings SET status = 'open', settled_at = NULL WHERE id = $1`, first.id);
      expect(await outcomeOf(takeBack(group, paid!.id, correction_id))).to.equal('meeting_not_open');
      expect(await outcomeOf(finish(group, correction_id, true))).to.equal('internal_error');
      const cancelled = await harness.groupWithMeeting();
      const { id } = await harness.contribute(cancelled.president, cancelled.meeting, 50);
      await harness.cancel(cancelled.president, cancelled.meeting);
      expect(await outcomeOf(takeBack(cancelled, id))).to.equal('meeting_not_open');
      expect(await harness.statusOf(president, second)).to.equal('open');
    });

    it('are refused for what does not stand on a transfer of the association', async () => {
      const group = await harness.cycleWithArrears();
      const { debtor, first, second } = group;
      const arrears = await harness.contribute(debtor, first, 10_000);
      const { id } = await harness.contribute(debtor, second, 10_000);
      const other = await harness.cycle([1, 1]);
      for (const transfer_id of [newId(), arrears.id]) {
        expect(await check(group, transfer_id)).to.equal('not_found');
        expect(await outcomeOf(takeBack(group, transfer_id))).to.equal('not_found');
      }
      expect(await check(other, id)).to.equal('not_found');
      expect(await outcomeOf(takeBack(other, id))).to.equal('not_found');
      const correction_id = newId();
      await takeBack(group, id, correction_id);
      expect(await outcomeOf(finish(other, correction_id, true))).to.equal('not_found');
      expect(await outcomeOf(finish(group, newId(), true))).to.equal('not_found');
    });

    it('count as in flight: the meeting settles or is cancelled only once the ledger has decided', async () => {
      harness.clock.day = LATER;
      const group = await harness.groupWithMeeting();
      const { president, meeting } = group;
      const { id } = await harness.contribute(president, meeting, 300);
      await harness.contribute(president, meeting, 200);
      const correction_id = newId();
      await takeBack(group, id, correction_id);
      expect(await outcomeOf(harness.settle(president, meeting))).to.equal('contributions_in_flight');
      expect(await outcomeOf(harness.cancel(president, meeting))).to.equal('contributions_in_flight');
      expect(await harness.statusOf(president, meeting)).to.equal('open');
      // A settlement that waits goes on when the reversal is decided.
      const settling = harness.settle(president, meeting);
      await finish(group, correction_id, true);
      expect((await settling).collected_amount).to.equal(200);
    });

    it('wait while the meeting is being settled, and then take it back or are refused', async () => {
      const group = await harness.groupWithMeeting();
      const { president, meeting } = group;
      const { id } = await harness.contribute(president, meeting, 300);
      const { there, goOn } = harness.holdAt('contribution.settlement.planned');
      const settling = harness.settle(president, meeting);
      await there;
      const correction_id = newId();
      expect(await outcomeOf(takeBack(group, id, correction_id))).to.equal('service_unavailable');
      goOn();
      await settling;
      expect(await outcomeOf(takeBack(group, id, correction_id))).to.equal('meeting_not_open');
    });

    it('race with a settlement: either it is taken back first and not settled, or it is settled', async () => {
      for (let run = 0; run < 5; run += 1) {
        const group = await harness.groupWithMeeting();
        const { president, meeting } = group;
        const { id } = await harness.contribute(president, meeting, 300);
        const correction_id = newId();
        const [taken, settled] = await Promise.all([
          outcomeOf(takeBack(group, id, correction_id)),
          outcomeOf(harness.settle(president, meeting)),
        ]);
        if (settled === 'done') {
          expect(['meeting_not_open', 'service_unavailable']).to.include(taken);
          expect(await storedStatus(id)).to.equal('paid');
        } else {
          expect([taken, settled]).to.deep.equal(['done', 'contributions_in_flight']);
          await finish(group, correction_id, true);
        }
      }
    });

    it('take it back for one of several corrections at once', async () => {
      const group = await harness.cycle([1, 1]);
      const { member, first } = group;
      const { id } = await harness.contribute(member, first, 10_000);
      const outcomes = await outcomesOf(atOnce(5, () => takeBack(group, id)));
      expect(outcomes).to.deep.equal([...Array<string>(4).fill('already_reversed'), 'done']);
      expect(await storedDue(first, member)).to.deep.equal([0, 10_000]);
    });

    it('wait until a contribution is marked as paid whose money has moved', async () => {
      const group = await harness.cycle([1, 1]);
      const { member, first } = group;
      const { there, goOn } = harness.holdAt('contribution.contribution.pending.acted');
      const paying = harness.contribute(member, first, 10_000);
      await there;
      const [{ id } = { id: '' }] = await harness.contributions(member, first);
      expect(await outcomeOf(takeBack(group, id))).to.equal('service_unavailable');
      goOn();
      await paying;
      await reverse(group, id);
      expect(await storedDue(first, member)).to.deep.equal([0, 0]);
    });

    it('are not undone by a late attempt to mark it as paid', async () => {
      const group = await harness.cycle([1, 1]);
      const { member, first } = group;
      const { there, goOn } = harness.holdAt('contribution.contribution.pending.acted');
      const late = harness.contribute(member, first, 10_000);
      await there;
      const [{ id } = { id: '' }] = await harness.contributions(member, first);
      // Another process has marked it as paid, as recovery does.
      await harness.sql(`UPDATE contributions SET last_attempt_at = now() - interval '1 hour' WHERE id = $1`, id);
      await harness.recover(async () => expect(await storedStatus(id)).to.equal('paid'));
      const correction_id = newId();
      await takeBack(group, id, correction_id);
      goOn();
      expect((await late).status).to.equal('paid');
      expect(await storedStatus(id)).to.equal('reversing');
      expect(await storedDue(first, member)).to.deep.equal([0, 10_000]);
      await finish(group, correction_id, true);
      expect(await storedDue(first, member)).to.deep.equal([0, 0]);
    });

    it('make the payment late again, once it is reversed', async () => {
      const group = await harness.cycle([1, 1], { fines: FINES });
      const { president, member, first, pay, association_id } = group;
      await pay(first);
      const checks = async () =>
        harness.sql('SELECT FROM late_checks WHERE meeting_id = $1 AND check_on IS NOT NULL', first.id);
      harness.clock.day = '2026-03-20';
      await harness.recover(async () => expect(await checks()).to.deep.equal([]));
      const [paid] = (await harness.contributions(president, first)).filter(
        (each) => each.member_id === member.member_id,
      );
      const correction_id = newId();
      await takeBack(group, paid!.id, correction_id);
      expect(await checks()).to.deep.equal([]);
      await finish(group, correction_id, true);
      const listed = () => harness.pages<Fine>(president.user_id, contract.listFines, { association_id }, 10);
      await harness.recover(async () => expect(await listed()).to.have.length(1));
      expect((await listed())[0]).to.deep.include({ member_id: member.member_id, code: 'late', amount: 500 });
    });

    it('name their meeting on statements', async () => {
      const group = await harness.cycle([1, 1]);
      const { member, first, association_id } = group;
      const { id } = await harness.contribute(member, first, 10_000);
      const correction_id = await reverse(group, id);
      const asked = { association_id, member_id: member.member_id, transfer_ids: [id, correction_id] };
      const [found] = (await harness.command(contract.statementFacts, asked)).meetings;
      expect(found?.meeting.id).to.equal(first.id);
      expect(found?.transfer_ids).to.have.members([id, correction_id]);
    });

    for (const point of ['contribution.taken_back', 'contribution.reversal_finished']) {
      it(`are repeated without effect, if the process dies at ${point}`, async () => {
        const group = await harness.cycle([1, 1]);
        const { member, first } = group;
        const { id } = await harness.contribute(member, first, 10_000);
        const correction_id = newId();
        const isTaking = point === 'contribution.taken_back';
        if (!isTaking) await takeBack(group, id, correction_id);
        await harness.dieAt(point, () =>
          isTaking ? takeBack(group, id, correction_id) : finish(group, correction_id, true),
        );
        await takeBack(group, id, correction_id);
        await finish(group, correction_id, true);
        expect(await storedDue(first, member)).to.deep.equal([0, 0]);
      });
    }

    it('restore every due that they had changed, in any order and however often they are repeated', async () => {
      type Step = { kind: 'pay' | 'take' | 'reverse' | 'restore'; who: number; what: number; amount: number };
      const anyStep: fc.Arbitrary<Step> = fc.record({
        kind: fc.constantFrom('pay', 'pay', 'take', 'take', 'reverse', 'restore'),
        who: fc.nat(1),
        what: fc.nat(20),
        amount: fc.integer({ min: 1, max: 6_000 }),
      });
      const property = async (steps: Step[]) => {
        const group = await harness.cycle([1, 1]);
        const { people, first } = group;
        /** The payments that were accepted, with what has become of each. */
        const paid: { id: string; who: number; amount: number; status: string; correction_id: string }[] = [];
        const sums = (who: number, ...counted: string[]) =>
          paid
            .filter((each) => each.who === who && counted.includes(each.status))
            .reduce((sum, each) => sum + each.amount, 0);
        for (const { kind, who, what, amount } of steps) {
          if (kind === 'pay') {
            const isFree = sums(who, 'paid', 'reversing') + amount <= 10_000;
            const paying = harness.contribute(people[who]!, first, amount);
            expect(await outcomeOf(paying)).to.equal(isFree ? 'done' : 'contribution_exceeds_due');
            if (isFree) paid.push({ id: (await paying).id, who, amount, status: 'paid', correction_id: newId() });
          } else {
            const payments = paid.filter(({ status }) => status === (kind === 'take' ? 'paid' : 'reversing'));
            const payment = payments[what % Math.max(payments.length, 1)];
            if (payment === undefined) continue;
            if (kind === 'take') payment.correction_id = newId();
            const act = () =>
              kind === 'take'
                ? takeBack(group, payment.id, payment.correction_id)
                : finish(group, payment.correction_id, kind === 'reverse');
            // Repeats arrive at the same time and later.
            await Promise.all([act(), act()]);
            await act();
            payment.status = kind === 'take' ? 'reversing' : kind === 'reverse' ? 'reversed' : 'paid';
          }
          for (const each of [0, 1]) {
            const due = await storedDue(first, people[each]!);
            const expected = [sums(each, 'paid'), sums(each, 'paid', 'reversing')];
            expect(due ?? [0, 0]).to.deep.equal(expected);
          }
        }
        for (const { id, status } of paid) expect(await storedStatus(id)).to.equal(status);
      };
      await fc.assert(fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 20 }), property), { numRuns: 10 });
    });
  });
});
