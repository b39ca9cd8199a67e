/** Which fines the rules of an association assess. All amounts are in minor units, all days in its time zone. */
import { addPeriods, type Frequency } from '../../../lib/calendar/calendar.ts';
import type { FineRule } from '../../../lib/contracts/membership.ts';
import { readAmount } from '../../../lib/money/amount.ts';
import type { AttendanceRow } from '../attendance/attendance.table.ts';

/** A fine that a rule assesses. */
export interface AssessedFine {
  member_id: string;
  code: string;
  period: number;
  amount_minor: bigint;
}

/** A percentage has two decimals: 100 % are so many of its units. */
const PERCENT_UNITS = 10_000n;

/** Returns the rules that the clock applies. */
export function lateRules(rules: readonly FineRule[]): FineRule[] {
  return rules.filter(({ trigger }) => trigger === 'late_payment');
}

/** Returns the rules that a settlement applies. */
export function attendanceRules(rules: readonly FineRule[]): FineRule[] {
  return rules.filter(({ trigger }) => trigger === 'absence' || trigger === 'lateness');
}

/** Returns the first day on which a due of this day is late under one of the rules; null without such a rule. */
export function firstLateDay(due_on: string, rules: readonly FineRule[]): string | null {
  const days = lateRules(rules).map((rule) => lateSince(due_on, rule));
  return days.toSorted()[0] ?? null;
}

/** Returns the day on which the rule first applies: the day after the due day and the days of grace. */
function lateSince(due_on: string, { grace_days }: FineRule): string {
  return addPeriods(due_on, 'daily', grace_days + 1);
}

/** The due day of a round, and the day on which it got it; null if that is not known. */
export interface DueDay {
  due_on: string;
  day_set_on: string | null;
}

/**
 * Returns how many periods of the rule have begun by today. All that had begun before the round got its day count as one: a cycle
 * may start in the past, and a round may be moved there.
 */
export function periodsBegun({ due_on, day_set_on }: DueDay, rule: FineRule, today: string): number {
  const first = lateSince(due_on, rule);
  const before = day_set_on === null ? 0 : countPeriods(first, rule, day_set_on);
  return countPeriods(first, rule, today) - Math.max(0, before - 1);
}

/** Counts the periods that have begun by a day, the first of them on `first`. */
function countPeriods(first: string, { repeat }: FineRule, day: string): number {
  if (day < first) return 0;
  if (repeat === 'once') return 1;
  const frequency: Frequency = repeat;
  const hasBegun = (periods: number) => addPeriods(first, frequency, periods) <= day;
  // By bisection: there are thousands since the earliest day that a round may have.
  let [begun, above] = [0, 1];
  while (hasBegun(above)) [begun, above] = [above, above * 2];
  while (above - begun > 1) {
    const middle = (begun + above) >> 1;
    if (hasBegun(middle)) begun = middle;
    else above = middle;
  }
  return above;
}

/** What a member has been fined by one rule for one meeting. */
export interface FinedSoFar {
  member_id: string;
  code: string;
  /** The last period that was assessed. */
  period: number;
  amount_minor: bigint;
}

/** A member who still owes something for a meeting. */
export interface Debtor {
  member_id: string;
  outstanding_minor: bigint;
}

/**
 * Returns the fines for late payment that are due by today and not assessed yet. Of a member who still owes, every period
 * that has begun is assessed, up to the cap of the rule.
 */
export function* lateFines(
  due: DueDay,
  rules: readonly FineRule[],
  today: string,
  currency: string,
  debtors: readonly Debtor[],
  assessed: readonly FinedSoFar[],
): Generator<AssessedFine> {
  const sofar = new Map(assessed.map((each) => [`${each.member_id}/${each.code}`, each]));
  for (const rule of lateRules(rules)) {
    const begun = periodsBegun(due, rule, today);
    for (const { member_id, outstanding_minor } of debtors) {
      const before = sofar.get(`${member_id}/${rule.code}`);
      let total_minor = before?.amount_minor ?? 0n;
      for (let period = (before?.period ?? 0) + 1; period <= begun; period += 1) {
        const amount_minor = withinCap(rule, currency, total_minor, fineAmount(rule, currency, outstanding_minor));
        if (amount_minor === 0n) break;
        total_minor += amount_minor;
        yield { member_id, code: rule.code, period, amount_minor };
      }
    }
  }
}

/** Returns the fines for members who were absent or late, each once. */
export function attendanceFines(
  rules: readonly FineRule[],
  currency: string,
  attendance: readonly (Pick<AttendanceRow, 'member_id' | 'status'> & Debtor)[],
): AssessedFine[] {
  const statuses = { absence: 'absent', lateness: 'late' } as const;
  return rules.flatMap((rule) => {
    if (rule.trigger !== 'absence' && rule.trigger !== 'lateness') return [];
    const status = statuses[rule.trigger];
    return attendance
      .filter((entry) => entry.status === status)
      .flatMap(({ member_id, outstanding_minor }) => {
        const amount_minor = withinCap(rule, currency, 0n, fineAmount(rule, currency, outstanding_minor));
        return amount_minor === 0n ? [] : [{ member_id, code: rule.code, period: 1, amount_minor }];
      });
  });
}

/** Returns the amount of one fine: fixed, or a part of what is outstanding, rounded half up. */
export function fineAmount({ amount, percent }: FineRule, currency: string, outstanding_minor: bigint): bigint {
  if (amount !== undefined) return minorOf(amount, currency);
  const units = BigInt(Math.round((percent ?? 0) * 100));
  return (outstanding_minor * units + PERCENT_UNITS / 2n) / PERCENT_UNITS;
}

/** Returns the part of the amount that the cap of the rule leaves. */
export function withinCap(
  { cap_amount }: FineRule,
  currency: string,
  total_minor: bigint,
  amount_minor: bigint,
): bigint {
  if (cap_amount === undefined) return amount_minor;
  const left_minor = minorOf(cap_amount, currency) - total_minor;
  if (left_minor <= 0n) return 0n;
  return amount_minor < left_minor ? amount_minor : left_minor;
}

/** @throws RangeError for an amount that the currency does not have, which membership refuses */
export function minorOf(amount: number, currency: string): bigint {
  const reading = readAmount(amount, currency);
  if ('minor' in reading) return reading.minor;
  throw new RangeError(`${String(amount)} is not an amount of ${currency}`);
}
