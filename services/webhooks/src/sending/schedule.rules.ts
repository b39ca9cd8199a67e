/** When a delivery is tried again. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../times.rules.ts';

/** The waits after failed attempts, those that the Standard Webhooks specification recommends. After the last one it is `failed`. */
export const RETRY_WAITS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** A wait becomes longer by up to this part of it, so that deliveries that failed together are not repeated together. */
export const JITTER_MAX_RATIO = 0.1;

/** As long as the longest wait. An endpoint that asks for more would keep deliveries for longer than they are stored. */
export const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * Returns the wait after a failed attempt; undefined if it was the last one.
 * @param tries how many attempts have failed, with this one
 * @param retry_after_ms what the endpoint asked for; it is waited for if it is longer than the usual wait
 * @param random from 0 to 1
 */
export function retryWaitMs(tries: number, retry_after_ms: number | undefined, random: number): number | undefined {
  const usual_ms = RETRY_WAITS_MS[tries - 1];
  if (usual_ms === undefined) return undefined;
  const jittered = (ms: number) => Math.round(ms * (1 + JITTER_MAX_RATIO * random));
  return Math.max(jittered(usual_ms), Math.min(jittered(retry_after_ms ?? 0), RETRY_AFTER_MAX_MS));
}

/**
 * Reads the `Retry-After` header (RFC 9110, section 10.2.3): seconds or a date.
 * @returns the wait from now; undefined if the header cannot be read
 */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND_MS;
  // Date.parse() reads much else, such as `1`.
  const date_ms = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date_ms) ? undefined : Math.max(0, date_ms - now.getTime());
}
