/** Days of the proleptic Gregorian calendar, in UTC, written `YYYY-MM-DD`. */

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAY_MS = 86_400_000;

/** Days outside these bounds are typing mistakes. The bounds also keep the year of every due day below 10 000. */
export const DAY_MIN = '1900-01-01';
export const DAY_MAX = '2999-12-31';

export const FREQUENCIES = ['daily', 'weekly', 'biweekly', 'monthly', 'quarterly', 'yearly'] as const;
export type Frequency = (typeof FREQUENCIES)[number];

/** The length of a period, in days or in calendar months. */
const PERIODS: Record<Frequency, { days: number } | { months: number }> = {
  daily: { days: 1 },
  weekly: { days: 7 },
  biweekly: { days: 14 },
  monthly: { months: 1 },
  quarterly: { months: 3 },
  yearly: { months: 12 },
};

/** Whether the text is an existing day, from year 1 to 9999. */
export function isCalendarDate(text: string): boolean {
  const match = DAY.exec(text);
  if (match === null) return false;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  // PostgreSQL has no year 0.
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** Returns the day of an instant, in UTC. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/**
 * Returns the day `count` periods after `start`. Months are counted from `start`, and the day is clamped to the end of the
 * month: a cycle from 31 January is due on 28 February, then on 31 March.
 */
export function addPeriods(start: string, frequency: Frequency, count: number): string {
  const [year, month, day] = start.split('-').map(Number) as [number, number, number];
  const period = PERIODS[frequency];
  if ('days' in period) return dayOf(new Date(Date.UTC(year, month - 1, day) + period.days * count * DAY_MS));
  const months = year * 12 + (month - 1) + period.months * count;
  const dueYear = Math.floor(months / 12);
  const dueMonth = (months % 12) + 1;
  const dueDay = Math.min(day, daysInMonth(dueYear, dueMonth));
  return `${String(dueYear).padStart(4, '0')}-${String(dueMonth).padStart(2, '0')}-${String(dueDay).padStart(2, '0')}`;
}

function daysInMonth(year: number, month: number): number {
  // Day 0 of the next month is the last day of this one.
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
