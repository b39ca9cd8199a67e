/** Periods of lists of transfers, which clients bound by days or by instants. */
import { addPeriods, DAY_MIN } from '../../../lib/calendar/calendar.ts';
import { startOfDay } from '../../../lib/calendar/zones.ts';

/** The first and the last millisecond of a period; null where it has no bound. */
export interface Period {
  since: Date | null;
  until: Date | null;
}

/** Days, `YYYY-MM-DD`, or instants. */
interface Bounds {
  from?: string | undefined;
  to?: string | undefined;
}

/**
 * Returns the period from `from` to `to`, both included. A day is included as a whole.
 * @param time_zone of days
 */
export function periodOf({ from, to }: Bounds, time_zone: string): Period {
  return {
    since: from === undefined ? null : spanOf(from, time_zone).first,
    until: to === undefined ? null : spanOf(to, time_zone).last,
  };
}

/** Returns the first and the last millisecond of a day; of an instant, itself. */
function spanOf(dayOrInstant: string, time_zone: string): { first: Date; last: Date } {
  if (dayOrInstant.length !== DAY_MIN.length) return { first: new Date(dayOrInstant), last: new Date(dayOrInstant) };
  const dayAfter = startOfDay(time_zone, addPeriods(dayOrInstant, 'daily', 1));
  return { first: startOfDay(time_zone, dayOrInstant), last: new Date(dayAfter.getTime() - 1) };
}
