import { expect } from 'chai';
import fc from 'fast-check';
import { addPeriods } from '../../../lib/calendar/calendar.ts';
import type { FineRule } from '../../../lib/contracts/membership.ts';
import {
  attendanceFines,
  firstLateDay,
  lateFines,
  periodsBegun,
  type AssessedFine,
  type DueDay,
  type FinedSoFar,
} from '../../../services/contribution/fines/fine.rules.ts';

const DUE_ON = '2026-03-10';
const DUE: DueDay = { due_on: DUE_ON, day_set_on: null };

/** A rule with the defaults of the API. */
const rule = (more: Partial<FineRule>): FineRule => ({
  code: 'late',
  trigger: 'late_payment',
  grace_days: 0,
  repeat: 'once',
  ...more,
});
const owing = (outstanding_minor: bigint, member_id = 'awa') => [{ member_id, outstanding_minor }];

describe('fines for late payment', () => {
  const begun: [string, Partial<FineRule>, string, number][] = [
    ['on the due day', {}, '2026-03-10', 0],
    ['the day after', {}, '2026-03-11', 1],
    ['a year later, if it is once', {}, '2027-03-11', 1],
    ['within the grace', { grace_days: 3 }, '2026-03-13', 0],
    ['after the grace', { grace_days: 3 }, '2026-03-14', 1],
    ['in the first week', { repeat: 'weekly' }, '2026-03-17', 1],
    ['in the second week', { repeat: 'weekly' }, '2026-03-18', 2],
    ['in the first month', { repeat: 'monthly' }, '2026-04-10', 1],
    ['in the second month', { repeat: 'monthly' }, '2026-04-11', 2],
  ];
  for (const [when, more, today, count] of begun) {
    it(`have ${String(count)} periods ${when}`, () => {
      expect(periodsBegun(DUE, rule(more), today)).to.equal(count);
    });
  }

  it('count all periods before the round got its day as one', () => {
    const weekly = rule({ repeat: 'weekly' });
    const begunBy = (today: string, due_on: string, day_set_on: string) =>
      periodsBegun({ due_on, day_set_on }, weekly, today);
    expect(begunBy('2026-03-11', '1900-01-01', '2026-03-11')).to.equal(1);
    // The days of these weeks are those after the due day, which was a Monday: Tuesdays.
    expect(begunBy('2026-03-16', '1900-01-01', '2026-03-11')).to.equal(1);
    expect(begunBy('2026-03-17', '1900-01-01', '2026-03-11')).to.equal(2);
    expect(begunBy('2026-03-17', '2026-03-10', '2026-03-01')).to.equal(1);
    expect(begunBy('2026-03-18', '2026-03-10', '2026-03-01')).to.equal(2);
    expect(periodsBegun({ due_on: '1900-01-01', day_set_on: '2026-03-11' }, rule({}), '2026-03-11')).to.equal(1);
  });

  it('first apply on the earliest day of all rules for late payment', () => {
    const rules = [rule({ grace_days: 5 }), rule({ code: 'soon', grace_days: 2 }), rule({ trigger: 'absence' })];
    expect(firstLateDay(DUE_ON, rules)).to.equal('2026-03-13');
    expect(firstLateDay(DUE_ON, [rule({ trigger: 'manual' })])).to.equal(null);
  });

  it('are a fixed amount, or a part of what is outstanding, rounded half up to the minor unit', () => {
    const amountOf = (more: Partial<FineRule>, currency = 'XAF') =>
      [...lateFines(DUE, [rule(more)], '2026-03-11', currency, owing(9_950n), [])].map(
        ({ amount_minor }) => amount_minor,
      );
    expect(amountOf({ amount: 500 })).to.deep.equal([500n]);
    expect(amountOf({ amount: 5.25 }, 'EUR')).to.deep.equal([525n]);
    expect(amountOf({ percent: 10 })).to.deep.equal([995n]);
    expect(amountOf({ percent: 0.5 })).to.deep.equal([50n]);
    expect(amountOf({ percent: 0.01 })).to.deep.equal([1n]);
    const tiny = lateFines(DUE, [rule({ percent: 0.01 })], '2026-03-11', 'XAF', owing(49n), []);
    expect([...tiny]).to.deep.equal([]);
  });

  it('stop at the cap of the rule, of which the last fine may be a part', () => {
    const weekly = rule({ amount: 500, repeat: 'weekly', cap_amount: 1_200 });
    const fined = lateFines(DUE, [weekly], '2026-05-11', 'XAF', owing(10_000n), []);
    expect([...fined].map(({ period, amount_minor }) => [period, amount_minor])).to.deep.equal([
      [1, 500n],
      [2, 500n],
      [3, 200n],
    ]);
  });

  it('are the same however often they are assessed, and on whichever days', () => {
    const rules = fc.record({
      grace_days: fc.integer({ min: 0, max: 20 }),
      repeat: fc.constantFrom('once', 'weekly', 'monthly' as const),
      cap_amount: fc.option(fc.integer({ min: 100, max: 5_000 }), { nil: undefined }),
    });
    const days = fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(rules, days, ({ cap_amount, ...more }, offsets) => {
        const applied = [rule({ amount: 500, ...more, ...(cap_amount === undefined ? {} : { cap_amount }) })];
        const assess = (today: string, sofar: AssessedFine[]) => [
          ...lateFines(DUE, applied, today, 'XAF', owing(10_000n), total(sofar)),
        ];
        const sorted = offsets.toSorted((a, b) => a - b).map((offset) => addPeriods(DUE_ON, 'daily', offset));
        const step = (fined: AssessedFine[], today: string) => [...fined, ...assess(today, fined)];
        // Each day twice, as two processes may assess it.
        const oneByOne = sorted.flatMap((day) => [day, day]).reduce(step, []);
        expect(oneByOne).to.deep.equal(assess(sorted.at(-1)!, []));
      }),
    );
  });

  /** What listFined() reads after these fines. */
  function total(fined: readonly AssessedFine[]): FinedSoFar[] {
    const last = fined.at(-1);
    if (last === undefined) return [];
    return [{ ...last, amount_minor: fined.reduce((sum, { amount_minor }) => sum + amount_minor, 0n) }];
  }
});

describe('fines for attendance', () => {
  it('are for members who were absent or late, and for no others', () => {
    const rules = [
      rule({ code: 'absent', trigger: 'absence', amount: 1_000 }),
      rule({ code: 'tardy', trigger: 'lateness', percent: 5 }),
      rule({ code: 'late', amount: 500 }),
      rule({ code: 'phone', trigger: 'manual', amount: 100 }),
    ];
    const statuses = ['present', 'late', 'absent', 'excused', 'represented'] as const;
    const attendance = statuses.map((status) => ({ member_id: status, status, outstanding_minor: 10_000n }));
    expect(attendanceFines(rules, 'XAF', attendance)).to.deep.equal([
      { member_id: 'absent', code: 'absent', period: 1, amount_minor: 1_000n },
      { member_id: 'late', code: 'tardy', period: 1, amount_minor: 500n },
    ]);
  });
});
