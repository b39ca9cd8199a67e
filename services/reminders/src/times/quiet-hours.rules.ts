/** The hours in which a person gets no reminders. */
import { addDays, instantAt, wallClock } from './zones.rules.ts';

export interface QuietHours {
  /** `HH:MM`, the first minute without messages. */
  from: string;
  /** `HH:MM`, the first minute with messages again. It may be on the next day. */
  to: string;
  /** Null for the zone of the association. */
  time_zone: string | null;
}

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Returns the minutes of a time of day since midnight; undefined if the text is not `HH:MM`. */
export function readTime(text: string): number | undefined {
  const match = TIME.exec(text);
  return match === null ? undefined : Number(match[1]) * 60 + Number(match[2]);
}

/**
 * Returns when a message may be sent: now or, during quiet hours, at their end. It depends only on what the clocks on the wall
 * show, also on days on which they are changed.
 * @param zone of the association
 */
export function afterQuietHours(quiet: QuietHours | null, zone: string, now: Date): Date {
  const from = quiet === null ? undefined : readTime(quiet.from);
  const to = quiet === null ? undefined : readTime(quiet.to);
  if (from === undefined || to === undefined || from === to) return now;
  const quietZone = quiet?.time_zone ?? zone;
  const { day, minutes } = wallClock(quietZone, now);
  const isQuiet = from < to ? minutes >= from && minutes < to : minutes >= from || minutes < to;
  if (!isQuiet) return now;
  const endDay = minutes < to ? day : addDays(day, 1);
  return instantAt(quietZone, { day: endDay, minutes: to }, now);
}
