import { addPeriods } from '../../../lib/calendar/calendar.ts';
import type { Frequency } from '../../../lib/calendar/calendar.ts';

/** `YYYY-MM-DD` has room for no later year than 9999. */
const WRITABLE_DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The day of each round, the first on `starts_on`: round n lies n−1 periods after it, counted from `starts_on` itself.
 * Undefined if the last one would lie beyond the year 9999.
 */
export function dueDays(starts_on: string, frequency: Frequency, rounds: number): string[] | undefined {
  if (!WRITABLE_DAY.test(addPeriods(starts_on, frequency, rounds - 1))) return undefined;
  return Array.from({ length: rounds }, (_, index) => addPeriods(starts_on, frequency, index));
}

/**
 * Whether a round may lie on this day: not before the round before it, nor after the one after it; on the same day is
 * fine. Outside a cycle, and at its ends, there is no neighbour (null). Days are `YYYY-MM-DD`, so texts sort by time.
 */
export function keepsOrder(due_on: string, before: string | null, after: string | null): boolean {
  return (before === null || before <= due_on) && (after === null || due_on <= after);
}
