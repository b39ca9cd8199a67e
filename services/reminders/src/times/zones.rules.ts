/** Days and wall clocks in time zones. Days are texts, `YYYY-MM-DD`, which sort by time; times of day count minutes. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** What a clock on the wall of a time zone shows. */
export interface WallClock {
  day: string;
  /** From 0 to 1439, since midnight as the clock shows it. */
  minutes: number;
}

/** The formats by zone, as making one takes longer than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** There are about 600 zones, but each may be written in any letter case. */
const FORMATS_MAX = 1_000;

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    if (formats.size === FORMATS_MAX) formats.clear();
    const day = { year: 'numeric', month: '2-digit', day: '2-digit', calendar: 'iso8601' } as const;
    const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: zone } as const;
    formats.set(zone, (format = new Intl.DateTimeFormat('en-US', { ...day, ...time })));
  }
  return format;
}

/** Returns what the clocks of a zone show at an instant. */
export function wallClock(zone: string, instant: Date): WallClock {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts[type] = value;
  const { year = '', month = '', day = '', hour = '0', minute = '0' } = parts;
  return { day: `${year.padStart(4, '0')}-${month}-${day}`, minutes: Number(hour) * 60 + Number(minute) };
}

/** Returns a wall clock as if the zone were UTC, for comparing. */
const asUtc_ms = ({ day, minutes }: WallClock): number => Date.parse(day) + minutes * MINUTE_MS;

/** How far the zone is ahead of UTC at an instant. */
function offset_ms(zone: string, at_ms: number): number {
  const minute_ms = Math.floor(at_ms / MINUTE_MS) * MINUTE_MS;
  return asUtc_ms(wallClock(zone, new Date(minute_ms))) - minute_ms;
}

/**
 * Returns the first instant, not before `since`, at which the clocks of a zone show this time or, where they are set forward past
 * it, a later one. Where they are set back, they show it twice.
 */
export function instantAt(zone: string, wall: WallClock, since?: Date): Date {
  const wall_ms = asUtc_ms(wall);
  // Zones change their offset at most once within two days, so that one of the offsets around the time is right.
  const offsets = [wall_ms - DAY_MS, wall_ms + DAY_MS].map((near_ms) => offset_ms(zone, near_ms));
  const candidates = offsets.map((each_ms) => wall_ms - each_ms).sort((left, right) => left - right);
  const found = candidates.find((each_ms) => {
    const isShown = each_ms + offset_ms(zone, each_ms) === wall_ms;
    return isShown && (since === undefined || each_ms >= since.getTime());
  });
  if (found !== undefined) return new Date(found);
  const [before_ms = wall_ms, after_ms = wall_ms] = candidates;
  return firstInstant(before_ms, after_ms, (at_ms) => at_ms + offset_ms(zone, at_ms) >= wall_ms);
}

/** Returns the first minute in a range at which the clocks have passed the time that they skip. */
function firstInstant(before_ms: number, after_ms: number, hasPassed: (at_ms: number) => boolean): Date {
  let low_ms = before_ms;
  let high_ms = after_ms;
  while (high_ms - low_ms > MINUTE_MS) {
    const middle_ms = low_ms + Math.floor((high_ms - low_ms) / 2 / MINUTE_MS) * MINUTE_MS;
    if (hasPassed(middle_ms)) high_ms = middle_ms;
    else low_ms = middle_ms;
  }
  return new Date(high_ms);
}

/** Returns the first instant of a day in a zone. */
export function startOfDay(zone: string, day: string): Date {
  return instantAt(zone, { day, minutes: 0 });
}

/** Returns the day that is `days` after another, or before it. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Returns how many days lie between two days; below zero if the second is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}
