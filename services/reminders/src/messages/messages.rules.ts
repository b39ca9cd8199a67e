/** When a message is sent, tried again, or given up. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../times/zones.rules.ts';

/** What the other side said to a message. */
export type Outcome =
  | { kind: 'sent' }
  /** It will never take it. */
  | { kind: 'refused' }
  /** It has certainly not taken it. */
  | { kind: 'retry'; after_ms?: number; isChannelDown: boolean; cause: string }
  /** It may have taken it. */
  | { kind: 'unknown'; cause: string };

/** The waits before the next tries: a code is wanted soon, and a mail server may be away for hours. */
const BACKOFF_MS = [10_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS];
const BACKOFF_MAX_MS = HOUR_MS;
/** Once a mail server, a gateway or another service is back, messages should not wait for long. */
const DOWN_MAX_MS = 5 * MINUTE_MS;

/**
 * Returns when a message is tried again after its n-th failure.
 * @param failure at least so long is waited; and whether the other side could not be reached, which says nothing of the message
 */
export function nextTry(
  failures: number,
  now: Date,
  { after_ms = 0, isChannelDown = false }: { after_ms?: number; isChannelDown?: boolean } = {},
): Date {
  const usual_ms = BACKOFF_MS[failures - 1] ?? BACKOFF_MAX_MS;
  const wait_ms = isChannelDown ? Math.min(usual_ms, DOWN_MAX_MS) : usual_ms;
  return new Date(now.getTime() + Math.max(wait_ms, after_ms));
}

/** Returns when it is tried again to reach what could not be reached n times. */
export function nextTryAway(failures: number, now: Date): Date {
  return nextTry(failures, now, { isChannelDown: true });
}

/** What happened longer ago is no news: such as when the service starts for the first time, and reads the events of years. */
export const NEWS_LIFE_MS = 3 * DAY_MS;

/** Messages are kept for this time, for those who ask later whether they were told; so are their occasions, and former members. */
export const KEPT_MS = 365 * DAY_MS;

/** A message whose occasion was checked within this time is sent without another check. */
export const CHECKED_FOR_MS = MINUTE_MS;
