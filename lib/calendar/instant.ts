/** Instants, written as RFC 3339 defines. */
import { isCalendarDate } from './calendar.ts';

/** A `+` in a query stands for a blank unless it is encoded, so a blank before the offset is read as `+`. */
const INSTANT = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([ +-])(\d{2}):(\d{2}))$/;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Reads an instant with any offset. Digits after the milliseconds are dropped, as the service stores none.
 * @returns undefined if the text is not an instant
 */
export function readInstant(text: string): Date | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return undefined;
  const [, day = '', hour, minute, second, fraction = '', sign, offsetHour = 0, offsetMinute = 0] = match;
  const isInRange = Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 60;
  if (!isCalendarDate(day) || !isInRange || Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const time_ms = Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * SECOND_MS;
  const offset_ms = Number(offsetHour) * HOUR_MS + Number(offsetMinute) * MINUTE_MS;
  const seconds_ms = Date.parse(day) + time_ms + (sign === '-' ? offset_ms : -offset_ms);
  // The second 60 exists only at the end of a day in UTC.
  if (Number(second) === 60 && seconds_ms % DAY_MS !== 0) return undefined;
  return new Date(seconds_ms + Number(fraction.slice(0, 3).padEnd(3, '0')));
}
