import { expect } from 'chai';
import fc from 'fast-check';
import type { ServiceBroker } from 'moleculer';
import * as contract from '../../../lib/contracts/contribution.ts';
import type { Fine, Meeting } from '../../../lib/contracts/contribution.ts';
import type { FineRule } from '../../../lib/contracts/membership.ts';
import { PAY_COLLECTED, RECOVERING, TODAY, useContribution, type Person } from '../../harness/contribution.ts';
import { eventually } from '../../harness/eventually.ts';
import { expectReached, propertyOf } from '../../harness/properties.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const SEQUENCES = Number(process.env.FINE_SEQUENCES ?? 4);
/** Processes that look for late payments at the same time, besides the one that is asked. */
const PROCESSES = 2;
/** Requests to settle a meeting that are sent at the same time. */
const AT_ONCE = 3;
/** Steps of a sequence. */
const STEPS = 30;
const DAY_MS = 86_400_000;

const RULES: FineRule[] = [
  { code: 'weekly', trigger: 'late_payment', amount: 500, grace_days: 2, repeat: 'weekly', cap_amount: 1_700 },
  { code: 'share', trigger: 'late_payment', percent: 2.5, grace_days: 0, repeat: 'weekly' },
  { code: 'single', trigger: 'late_payment', amount: 250, grace_days: 9, repeat: 'once' },
  { code: 'absent', trigger: 'absence', amount: 1_000, grace_days: 0, repeat: 'once' },
  { code: 'tardy', trigger: 'lateness', percent: 5, grace_days: 0, repeat: 'once', cap_amount: 300 },
];

interface Step {
  kind: 'advance' | 'pay' | 'settle' | 'attend' | 'reverse';
  who: number;
  what: number;
  days: number;
  percent: number;
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('advance', 'advance', 'advance', 'pay', 'pay', 'settle', 'attend', 'reverse'),
  who: fc.nat(2),
  what: fc.nat(20),
  days: fc.integer({ min: 1, max: 25 }),
  percent: fc.constantFrom(10, 33, 50, 100),
});

const plain: Omit<Step, 'kind'> = { who: 0, what: 1, days: 25, percent: 50 };
/** Each sequence has a fine of each trigger, one that is cut to its cap, and a reversal, even if chance brings none. */
const BEGINNING: Step[] = [
  { ...plain, kind: 'pay' },
  { ...plain, kind: 'reverse' },
  { ...plain, kind: 'attend', what: 0 },
  { ...plain, kind: 'attend', who: 1 },
  { ...plain, kind: 'advance' },
  { ...plain, kind: 'advance' },
  { ...plain, kind: 'settle' },
];

describe('contribution: fines, however often the clock and the settlement run', () => {
  const processes: ServiceBroker[] = [];
  const reached = { fines: 0, repeated: 0, capped: 0, attendance: 0, settled: 0, reversed: 0 };
  after(async () => {
    for (const each of processes) await each.stop();
  });
  const harness = useContribution();
  before(async () => {
    for (let count = 0; count < PROCESSES; count += 1) processes.push(await harness.startProcess(RECOVERING));
  });

  type Cycle = Awaited<ReturnType<typeof begin>>;
  const begin = () => {
    harness.clock.day = TODAY;
    return harness.cycle([1, 1, 2], { ...PAY_COLLECTED, fines: RULES });
  };
  const listed = ({ association_id, president }: Cycle) =>
    harness.pages<Fine>(president.user_id, contract.listFines, { association_id }, 200);
  const keyOf = ({ code, member_id, meeting_id, period }: Omit<Fine, 'amount'>) =>
    [code, member_id, meeting_id, period].join(' ');

  it('are at most one for each rule, member, meeting and period, of the amount of the rule and within its cap', async function () {
    this.timeout(180_000);
    const property = async (steps: Step[]) => {
      const cycle = await begin();
      const expected = new Map<string, number>();
      let today = TODAY;
      for (const step of [...BEGINNING, ...steps]) {
        if (step.kind === 'advance') {
          today = dayAfter(today, step.days);
          await advance(cycle, today, expected);
        } else await perform(cycle, step, today, expected);
        if (step.kind === 'pay' || step.kind === 'attend') continue;
        const fines = await listed(cycle);
        expect(new Map(fines.map((fine) => [keyOf(fine), fine.amount]))).to.deep.equal(expected);
        expect(new Set(fines.map(keyOf)).size, 'one for each occasion').to.equal(fines.length);
      }
      expect(await harness.countEvents(cycle.association_id, 'fine.assessed')).to.equal(expected.size);
      count(await listed(cycle));
    };
    const sequence = fc.array(anyStep, { minLength: STEPS, maxLength: STEPS });
    await fc.assert(fc.asyncProperty(sequence, property), propertyOf(SEQUENCES));
    expectReached('fines once', reached);
  });

  /** Moves the clock, waits until the processes have looked at every round, and adds what must be assessed by then. */
  async function advance(cycle: Cycle, today: string, expected: Map<string, number>): Promise<void> {
    await expectLate(cycle, today, expected, () => {
      harness.clock.day = today;
    });
  }

  async function expectLate(
    cycle: Cycle,
    today: string,
    expected: Map<string, number>,
    act: () => unknown,
  ): Promise<void> {
    const before = await owedNow(cycle);
    await act();
    const isDone = async () => expect(await unchecked(cycle, today)).to.deep.equal([]);
    await eventually(isDone);
    for (const [place, owed] of before) addLate(place, owed, today, expected);
  }

  const unchecked = ({ association_id }: Cycle, today: string) =>
    harness.sql(
      `SELECT l.meeting_id FROM late_checks l JOIN meetings m ON m.id = l.meeting_id
       WHERE m.association_id = $1 AND l.check_on <= $2`,
      association_id,
      today,
    );

  /** What each member owes for each round, which is arrears once it has settled. */
  async function owedNow({ president, meetings }: Cycle): Promise<[{ meeting: Meeting; member_id: string }, number][]> {
    const owed = await Promise.all(
      meetings.map(async (meeting) => {
        const isSettled = (await harness.statusOf(president, meeting)) === 'settled';
        const dues = await harness.dues(president, meeting);
        return dues.map(({ member_id, outstanding, arrears }): [{ meeting: Meeting; member_id: string }, number] => [
          { meeting, member_id },
          isSettled ? arrears : outstanding,
        ]);
      }),
    );
    return owed.flat();
  }

  /** Adds the fines for late payment that the rules require on this day, computed without the code of the service. */
  function addLate(
    { meeting, member_id }: { meeting: Meeting; member_id: string },
    owed: number,
    today: string,
    expected: Map<string, number>,
  ): void {
    if (owed === 0) return;
    for (const rule of RULES.filter(({ trigger }) => trigger === 'late_payment')) {
      const late_days = (Date.parse(today) - Date.parse(meeting.due_on)) / DAY_MS - rule.grace_days - 1;
      if (late_days < 0) continue;
      const begun = rule.repeat === 'once' ? 1 : Math.floor(late_days / 7) + 1;
      const keyAt = (period: number) => [rule.code, member_id, meeting.id, period].join(' ');
      let total = 0;
      let last = 0;
      for (let period = 1; expected.has(keyAt(period)); period += 1) {
        total += expected.get(keyAt(period))!;
        last = period;
      }
      for (let period = last + 1; period <= begun; period += 1) {
        const amount = rule.amount ?? Math.floor((owed * rule.percent!) / 100 + 0.5);
        const fined = Math.min(amount, (rule.cap_amount ?? Infinity) - total);
        if (fined <= 0) break;
        total += fined;
        expected.set(keyAt(period), fined);
      }
    }
  }

  async function perform(cycle: Cycle, step: Step, today: string, expected: Map<string, number>): Promise<void> {
    const { president, people, association_id } = cycle;
    const { kind, who, what, percent } = step;
    const person: Person = people[who]!;
    const rounds = await harness.meetings(cycle);
    const open = rounds.find(({ status }) => status === 'open');
    if (kind === 'pay') {
      const meeting = what % 3 === 0 ? rounds[what % rounds.length]! : (open ?? rounds[0]!);
      const due = await harness.due(person, meeting);
      const owed = meeting.status === 'settled' ? due.arrears : due.outstanding;
      if (owed > 0) await harness.contribute(person, meeting, Math.ceil((owed * percent) / 100));
      return;
    }
    if (open === undefined) return;
    if (kind === 'attend') {
      const status = what % 2 === 0 ? ('absent' as const) : ('late' as const);
      await harness.as(president.user_id, contract.recordAttendance, {
        path: { association_id, meeting_id: open.id },
        body: { entries: [{ member_id: person.member_id, status }] },
      });
      return;
    }
    if (kind === 'settle') return settle(cycle, open, expected);
    const paid = (await harness.contributions(president, open)).filter(({ status }) => status === 'paid');
    const contribution = paid[what % Math.max(paid.length, 1)];
    if (contribution === undefined) return;
    const correction_id = harness.newId();
    await harness.command(contract.takeBack, { association_id, transfer_id: contribution.id, correction_id });
    await harness.command(contract.finishReversal, { association_id, correction_id, reversed: true });
    reached.reversed += 1;
    // The due is owed again, perhaps for periods that have begun while it was paid.
    await expectLate(cycle, today, expected, () => undefined);
  }

  /** Settles a round with several requests at once, and adds the fines for attendance. */
  async function settle(cycle: Cycle, meeting: Meeting, expected: Map<string, number>): Promise<void> {
    const { president, association_id } = cycle;
    const { entries } = await harness.as(president.user_id, contract.getAttendance, {
      path: { association_id, meeting_id: meeting.id },
    });
    const dues = await harness.dues(president, meeting);
    const outcomes = await Promise.all(
      Array.from({ length: AT_ONCE }, () => outcomeOf(harness.settle(president, meeting))),
    );
    if ((await harness.statusOf(president, meeting)) !== 'settled') {
      expect(outcomes).not.to.include('done');
      return;
    }
    reached.settled += 1;
    for (const { member_id, status } of entries) {
      const { outstanding } = dues.find((due) => due.member_id === member_id)!;
      const fined = status === 'absent' ? 1_000 : Math.min(300, Math.floor((outstanding * 5) / 100 + 0.5));
      const code = status === 'absent' ? 'absent' : 'tardy';
      if (fined > 0) expected.set([code, member_id, meeting.id, 1].join(' '), fined);
    }
  }

  /** Counts what the sequences have reached, so that a run that tests nothing fails. */
  function count(fines: Fine[]): void {
    reached.fines += fines.length;
    reached.repeated += fines.filter(({ period }) => period > 1).length;
    reached.capped += fines.filter(({ code, amount }) => code === 'weekly' && amount === 200).length;
    reached.attendance += fines.filter(({ code }) => code === 'absent' || code === 'tardy').length;
  }
});

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}
