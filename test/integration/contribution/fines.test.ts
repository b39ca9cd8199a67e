import { expect } from 'chai';
import * as contract from '../../../lib/contracts/contribution.ts';
import type { Fine } from '../../../lib/contracts/contribution.ts';
import type { FineRule } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import {
  PAY_COLLECTED,
  TODAY,
  useContribution,
  type Group,
  type MeetingIds,
  type Person,
} from '../../harness/contribution.ts';
import { eventually } from '../../harness/eventually.ts';
import { RIGHT_PIN } from '../../harness/fakes/membership.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

const FINES: FineRule[] = [
  { code: 'late', trigger: 'late_payment', amount: 500, grace_days: 2, repeat: 'weekly', cap_amount: 1_200 },
  { code: 'absent', trigger: 'absence', amount: 1_000, grace_days: 0, repeat: 'once' },
  { code: 'tardy', trigger: 'lateness', amount: 200, grace_days: 0, repeat: 'once' },
  { code: 'phone', trigger: 'manual', amount: 300, grace_days: 0, repeat: 'once' },
  { code: 'share', trigger: 'manual', percent: 10, grace_days: 0, repeat: 'once' },
];

describe('contribution: fines', () => {
  const harness = useContribution();

  const fines = async ({ association_id, president }: Group, query: object = {}): Promise<Fine[]> =>
    harness.pages<Fine>(president.user_id, contract.listFines, { association_id }, 2, query);
  const assess = (by: Person, group: Group, fined: Person, body: object = {}, key?: string) =>
    harness.as(
      by.user_id,
      contract.assessFine,
      {
        path: { association_id: group.association_id },
        body: { member_id: fined.member_id, code: 'phone', reason: 'It rang', ...body },
      },
      { key },
    );
  const pay = (by: Person, { association_id, id: fine_id }: Fine, amount: number, key?: string) =>
    harness.as(
      by.user_id,
      contract.payFine,
      { path: { association_id, fine_id }, body: { wallet_id: by.wallet_id, amount, pin: RIGHT_PIN } },
      { key },
    );
  const waive = (fine: Fine, decision: 'approved' | 'rejected' = 'approved', approval_id = harness.newId()) =>
    harness.command(contract.executeApproval, {
      approval_id,
      association_id: fine.association_id,
      subject_type: 'fine_waiver',
      subject_id: harness.newId(),
      decision,
      payload: { fine_id: fine.id },
    });
  const recordAttendance = ({ president }: Group, meeting: MeetingIds, entries: [Person, 'absent' | 'late'][]) =>
    harness.as(president.user_id, contract.recordAttendance, {
      path: { association_id: meeting.association_id, meeting_id: meeting.id },
      body: { entries: entries.map(([{ member_id }, status]) => ({ member_id, status })) },
    });
  const summary = (list: Fine[]) =>
    list.map(({ member_id, code, period, amount }) => [member_id, code, period, amount]);
  /** Runs the job that looks for late payments, until `look` no longer throws. */
  const onDay = async (day: string, look: () => Promise<unknown>) => {
    harness.clock.day = day;
    await harness.recover(look);
  };

  it('are assessed by the clock for members who have not paid after the days of grace, once for each period', async () => {
    const group = await harness.cycle([1, 1, 1], { fines: FINES });
    const { people, first, association_id } = group;
    const [paid, late, partly] = people as [Person, Person, Person];
    await harness.contribute(paid, first, 10_000);
    await harness.contribute(partly, first, 4_000);
    await onDay('2026-03-13', async () => expect(await fines(group)).to.have.length(2));
    const assessed = await fines(group);
    expect(summary(assessed)).to.have.deep.members([
      [late.member_id, 'late', 1, 500],
      [partly.member_id, 'late', 1, 500],
    ]);
    expect(assessed[0]).to.include({ meeting_id: first.id, status: 'due', paid: 0, outstanding: 500, reason: null });
    // The same day again, and days of the same period, assess nothing more.
    const period = async () => {
      const [check] = await harness.sql<{ check_on: string }>('SELECT check_on FROM late_checks ORDER BY check_on');
      expect(check?.check_on).to.equal('2026-03-17');
    };
    await onDay('2026-03-16', period);
    expect(await fines(group)).to.have.length(2);
    await harness.contribute(partly, first, 6_000);
    await onDay('2026-03-20', async () => expect(await fines(group)).to.have.length(3));
    // The cap leaves 200 for the third period, and nothing after it.
    await onDay('2026-04-09', async () => expect(await fines(group)).to.have.length(4));
    expect(summary(await fines(group, { member_id: late.member_id }))).to.deep.equal([
      [late.member_id, 'late', 3, 200],
      [late.member_id, 'late', 2, 500],
      [late.member_id, 'late', 1, 500],
    ]);
    expect(await harness.countEvents(association_id, 'fine.assessed')).to.equal(4);
  });

  it('count the periods before a round was planned, or was moved into the past, as one', async () => {
    const rules = { fines: [{ ...FINES[2]!, trigger: 'late_payment' as const, repeat: 'weekly' as const }] };
    const past = harness.group([2], {}, rules);
    await harness.startCycle(past, { starts_on: '1900-01-01' });
    const [round] = await harness.meetings(past);
    const moved = await harness.cycle([2], rules);
    const { president, first, association_id } = moved;
    await harness.as(president.user_id, contract.changeMeeting, {
      path: { association_id, meeting_id: first.id },
      body: { due_on: '1900-01-01' },
    });
    for (const [day, periods] of [
      [TODAY, 1],
      ['2026-03-16', 1],
      // The weeks begin on Tuesdays, as that of 1900 did.
      ['2026-03-17', 2],
    ] as const) {
      await onDay(day, async () => {
        expect(await fines(past, { meeting_id: round!.id })).to.have.length(periods);
        expect(await fines(moved, { meeting_id: first.id })).to.have.length(periods);
      });
    }
  });

  it('are stored in several transactions if there are many', async () => {
    const many = Array.from({ length: 10 }, (_, index) => ({ ...FINES[0]!, code: `late ${String(index)}` }));
    const group = await harness.cycle(Array<number>(101).fill(1), { fines: many });
    await onDay('2026-03-13', async () =>
      expect(await harness.countEvents(group.association_id, 'fine.assessed')).to.equal(1_010),
    );
  });

  it('are assessed once, even if two processes look at the same time', async () => {
    const group = await harness.cycle([1, 1, 1], { fines: FINES });
    harness.clock.day = '2026-03-13';
    await Promise.all([1, 2].map(() => harness.recover(async () => expect(await fines(group)).to.have.length(3))));
    expect(await fines(group)).to.have.length(3);
  });

  it('do not count cash that waits for its approval as late, but once it is rejected', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { president, member, first } = group;
    await harness.contribute(president, first, 10_000);
    const cash = harness.newId();
    await harness.takeCash(first, member, 10_000, cash);
    const checked = (day: string) => async () => {
      const [check] = await harness.sql<{ check_on: string }>(
        'SELECT check_on FROM late_checks WHERE meeting_id = $1',
        first.id,
      );
      expect(check?.check_on).to.equal(day);
    };
    await onDay('2026-03-14', checked('2026-03-15'));
    expect(await fines(group)).to.deep.equal([]);
    await harness.decideCash(first, cash, false);
    // On the same day.
    await harness.recover(async () => expect(await fines(group)).to.have.length(1));
  });

  it('go on for arrears after the settlement, until they are paid', async () => {
    const group = await harness.cycle([1, 1], { ...PAY_COLLECTED, fines: FINES });
    const { president, member, first } = group;
    await harness.contribute(president, first, 10_000);
    await harness.settle(president, first);
    await onDay('2026-03-13', async () => expect(await fines(group)).to.have.length(1));
    await harness.contribute(member, first, 10_000);
    const isDone = async () => {
      const [check] = await harness.sql('SELECT check_on FROM late_checks WHERE meeting_id = $1', first.id);
      expect(check).to.deep.equal({ check_on: null });
    };
    await onDay('2026-03-20', isDone);
    expect(await fines(group)).to.have.length(1);
  });

  it('for absence and lateness are assessed when the meeting settles, in a cycle and outside', async () => {
    const group = await harness.cycle([1, 1, 1], { fines: FINES });
    const { president, people, first, pay: payDues } = group;
    const [, absent, late] = people as [Person, Person, Person];
    await recordAttendance(group, first, [
      [absent, 'absent'],
      [late, 'late'],
    ]);
    await payDues(first);
    expect(await fines(group)).to.deep.equal([]);
    await harness.settle(president, first);
    const expected = [
      [absent.member_id, 'absent', 1, 1_000],
      [late.member_id, 'tardy', 1, 200],
    ];
    expect(summary(await fines(group))).to.have.deep.members(expected);
    // A later entry changes nothing.
    await recordAttendance(group, first, [[late, 'absent']]);
    expect(await fines(group)).to.have.length(2);

    const kitty = await harness.scheduleMeeting(group);
    await recordAttendance(group, kitty, [[absent, 'absent']]);
    await harness.settle(president, kitty);
    expect(await fines(group, { meeting_id: kitty.id })).to.have.length(1);
    expect(await fines(group)).to.have.length(3);
  });

  it('are assessed with the settlement, even if its process dies before it is stored', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { president, member, first, pay: payDues } = group;
    await recordAttendance(group, first, [[member, 'absent']]);
    await payDues(first);
    await harness.dieAt('contribution.settlement.planned.acted', () => harness.settle(president, first));
    await harness.recover(async () => expect(await harness.statusOf(president, first)).to.equal('settled'));
    expect(summary(await fines(group))).to.deep.equal([[member.member_id, 'absent', 1, 1_000]]);
  });

  it('for absence are not for members who have left before the meeting settles', async () => {
    const group = harness.group([1, 1, 1], {}, { fines: FINES });
    const [, stays, leaves] = group.people as [Person, Person, Person];
    const gone = harness.join(group.association_id, { status: 'left' });
    const meeting = await harness.scheduleMeeting(group);
    await recordAttendance(group, meeting, [
      [stays, 'absent'],
      [leaves, 'absent'],
      [gone, 'late'],
    ]);
    const { members } = harness.membership.association(group.association_id);
    members.find(({ member_id }) => member_id === leaves.member_id)!.status = 'left';
    await harness.settle(group.president, meeting);
    expect(summary(await fines(group))).to.deep.equal([[stays.member_id, 'absent', 1, 1_000]]);
  });

  it('are assessed by the board for manual rules, never for oneself', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { president, member, first, association_id } = group;
    const fine = await assess(president, group, member, { meeting_id: first.id });
    expect(fine).to.deep.include({
      member_id: member.member_id,
      code: 'phone',
      meeting_id: first.id,
      period: 1,
      reason: 'It rang',
      amount: 300,
      paid: 0,
      outstanding: 300,
      status: 'due',
    });
    expect(harness.headOf(fine)).to.deep.include({
      status: 201,
      location: `/association-service/api/v1/associations/${association_id}/fines/${fine.id}`,
    });
    expect(await outcomeOf(assess(president, group, president))).to.equal('own_request');
    expect(await outcomeOf(assess(member, group, president))).to.equal('role_not_allowed');
    expect(await outcomeOf(assess(president, group, member, { meeting_id: first.id }))).to.equal('fine_exists');
    // Without a meeting a member may be fined again.
    expect(await outcomeOf(assess(president, group, member))).to.equal('done');
    expect(await outcomeOf(assess(president, group, member, { amount: 50 }))).to.equal('done');
    expect(await outcomeOf(assess(president, group, member, { code: 'late' }))).to.equal('validation_failed');
    expect(await outcomeOf(assess(president, group, member, { code: 'share' }))).to.equal('validation_failed');
    const share = await assess(president, group, member, { code: 'share', meeting_id: first.id });
    expect(share.amount).to.equal(1_000);
    expect(await outcomeOf(assess(president, group, member, { meeting_id: harness.newId() }))).to.equal('not_found');
  });

  it('are up to the cap of a manual rule, above which no other amount is accepted', async () => {
    const group = await harness.cycle([1, 1], { fines: [{ ...FINES[3]!, cap_amount: 100 }] });
    const { president, member } = group;
    expect((await assess(president, group, member)).amount).to.equal(100);
    expect(await outcomeOf(assess(president, group, member, { amount: 100 }))).to.equal('done');
    expect(await outcomeOf(assess(president, group, member, { amount: 101 }))).to.equal('validation_failed');
  });

  it('are paid in parts from any wallet of the payer, straight into the treasury', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { president, member, association_id } = group;
    const fine = await assess(president, group, member);
    const before = harness.wallets([president, member]);
    const part = await pay(member, fine, 100);
    expect(part).to.deep.include({ paid: 100, outstanding: 200, status: 'due' });
    expect(harness.headOf(part).status).to.equal(201);
    expect(await refusalOf(pay(member, fine, 201))).to.deep.equal({
      code: 'fine_exceeded',
      extras: { outstanding: 200 },
    });
    const rest = await pay(president, fine, 200);
    expect(rest).to.deep.include({ paid: 300, outstanding: 0, status: 'paid' });
    expect(await outcomeOf(pay(member, fine, 1))).to.equal('fine_not_due');
    expect(harness.wallets([president, member])).to.deep.equal([before[0]! - 200, before[1]! - 100]);
    expect(harness.treasury.balance(`${association_id}/treasury`)).to.equal(300);
    const posted = harness.treasury.received(transfer).at(-1);
    expect(posted).to.deep.include({ id: rest.transfer_id, kind: 'fine_payment', member_id: member.member_id });
    const paid = await harness.events(association_id, 'fine.paid');
    expect(paid.map(({ data }) => (data as { outstanding_minor: number }).outstanding_minor)).to.deep.equal([200, 0]);
  });

  it('are not paid if the ledger refuses, and can be paid then', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { president, member } = group;
    const fine = await assess(president, group, member);
    harness.treasury.next(transfer, problem('insufficient_funds'));
    expect(await outcomeOf(pay(member, fine, 300))).to.equal('insufficient_funds');
    expect(await outcomeOf(pay(member, fine, 300))).to.equal('done');
  });

  it('are paid once, whatever step the process dies at', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { president, member, association_id } = group;
    for (const step of ['pending', 'pending.acted']) {
      const fine = await assess(president, group, member);
      await harness.dieAt(`contribution.fine_payment.${step}`, () => pay(member, fine, 300));
      await harness.recover(async () => {
        const read = harness.as(president.user_id, contract.getFine, { path: { association_id, fine_id: fine.id } });
        expect((await read).status).to.equal('paid');
      });
    }
    expect(harness.treasury.balance(`${association_id}/treasury`)).to.equal(600);
  });

  it('never take more than they are, however many pay at once', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { president, member } = group;
    const fine = await assess(president, group, member);
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => outcomeOf(pay(member, fine, 100))));
    expect(outcomes.filter((each) => each === 'done')).to.have.length(3);
    expect(outcomes.filter((each) => each === 'fine_exceeded' || each === 'fine_not_due')).to.have.length(2);
  });

  it('can be waived by the board, once, for what is left', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { president, member, association_id } = group;
    const fine = await assess(president, group, member);
    await pay(member, fine, 100);
    expect(await harness.command(contract.checkFine, { association_id, fine_id: fine.id })).to.deep.equal({
      member_id: member.member_id,
    });
    expect(await waive(fine, 'rejected')).to.deep.equal({ status: 'done', error: null });
    const approval_id = harness.newId();
    for (let repeat = 0; repeat < 2; repeat += 1) {
      expect(await waive(fine, 'approved', approval_id)).to.deep.equal({ status: 'done', error: null });
    }
    const [waived] = await fines(group, { status: 'waived' });
    expect(waived).to.deep.include({ id: fine.id, status: 'waived', paid: 100, outstanding: 0 });
    expect(await waive(fine)).to.deep.equal({ status: 'failed', error: 'fine_not_due' });
    const check = harness.command(contract.checkFine, { association_id, fine_id: fine.id });
    expect(await outcomeOf(check)).to.equal('fine_not_due');
    expect(await outcomeOf(pay(member, fine, 200))).to.equal('fine_not_due');
    const [event] = await harness.events(association_id, 'fine.waived');
    expect(event?.data).to.deep.include({ fine_id: fine.id, waived_minor: 200, approval_id });
  });

  it('keep members from leaving and associations from closing', async () => {
    const group = harness.group([1, 1], { type: 'solidarity' }, { fines: FINES });
    const { president, people, association_id } = group;
    const member = people[1]!;
    const obligations = () =>
      harness.command(contract.obligations, { association_id, member_id: member.member_id, cycle_id: null });
    const lock = () =>
      harness.command(contract.lockAssociation, { association_id, approval_id: harness.newId(), dry_run: true });
    expect([(await obligations()).has_arrears, (await lock()).remains]).to.deep.equal([false, 'nothing']);
    const fine = await assess(president, group, member);
    expect([(await obligations()).has_arrears, (await lock()).remains]).to.deep.equal([true, 'something']);
    await pay(member, fine, 300);
    expect([(await obligations()).has_arrears, (await lock()).remains]).to.deep.equal([false, 'nothing']);
  });

  it('are listed by member, status and meeting, and shown to members only', async () => {
    const group = await harness.cycle([1, 1, 1], { fines: FINES });
    const { president, people, first, association_id } = group;
    const [, second, third] = people as [Person, Person, Person];
    const paid = await assess(president, group, second);
    await pay(second, paid, 300);
    const due = await assess(president, group, third, { meeting_id: first.id });
    const ids = async (query: object) => (await fines(group, query)).map(({ id }) => id);
    expect(await ids({})).to.deep.equal([due.id, paid.id]);
    expect(await ids({ member_id: second.member_id })).to.deep.equal([paid.id]);
    expect(await ids({ status: 'DUE' })).to.deep.equal([due.id]);
    expect(await ids({ meeting_id: first.id, status: 'due', member_id: third.member_id })).to.deep.equal([due.id]);
    expect(await ids({ member_id: harness.newId() })).to.deep.equal([]);
    const other = await harness.cycle([1, 1]);
    const path = { association_id: other.association_id, fine_id: due.id };
    expect(await outcomeOf(harness.as(other.president.user_id, contract.getFine, { path }))).to.equal('not_found');
    const stranger = harness.as(other.president.user_id, contract.listFines, { path: { association_id } });
    expect(await outcomeOf(stranger)).to.equal('not_found');
    await eventually(async () => expect(await harness.countEvents(association_id, 'fine.assessed')).to.equal(2));
  });
});
