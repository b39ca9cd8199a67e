/** Days in the time zone of an association. Days are texts, `YYYY-MM-DD`, which sort by time. */

/** The zone of associations that have named none, and of wallets, which belong to none. */
export const UTC = 'UTC';

/** IANA names are far shorter. */
export const TIME_ZONE_MAX_LENGTH = 64;

/** The formats by zone, as making one takes longer than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** There are about 600 zones, but each may be written in any letter case. */
const FORMATS_MAX = 1_000;

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    if (formats.size === FORMATS_MAX) formats.clear();
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    formats.set(zone, (format = new Intl.DateTimeFormat('en-CA', { ...parts, timeZone: zone, calendar: 'iso8601' })));
  }
  return format;
}

/** Whether the text is an IANA time zone such as `Africa/Douala`, in any letter case. Offsets such as `+01:00` are none. */
export function isTimeZone(name: string): boolean {
  if (name.length > TIME_ZONE_MAX_LENGTH || !/^[A-Za-z]/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Returns the day of an instant in a zone. */
export function dayIn(zone: string, instant: Date): string {
  return formatOf(zone).format(instant);
}

/** The earliest zone is UTC+14, the latest UTC-12. Local mean time, which zones once had, is within 16 hours. */
const OFFSET_MAX_MS = 16 * 3_600_000;

/**
 * Returns the first instant of a day in a zone. It is found by its day: `Intl` knows the day of an instant, and no
 * arithmetic with offsets is right on the days on which they change.
 */
export function startOfDay(zone: string, day: string): Date {
  const midnight_ms = Date.parse(day);
  if (zone === UTC) return new Date(midnight_ms);
  let before_ms = midnight_ms - OFFSET_MAX_MS;
  let after_ms = midnight_ms + OFFSET_MAX_MS;
  while (after_ms - before_ms > 1) {
    const middle_ms = Math.floor((before_ms + after_ms) / 2);
    if (dayIn(zone, new Date(middle_ms)) < day) before_ms = middle_ms;
    else after_ms = middle_ms;
  }
  return new Date(after_ms);
}
