import { LRUCache } from 'lru-cache';

/** RATE_LIMIT is a number of requests per minute. */
const WINDOW_S = 60;
const WINDOW_MS = WINDOW_S * 1_000;

/**
 * The maximum number of users or addresses that are counted at the same time, which needs at most about 10 MB. Beyond
 * that the least recently seen one is forgotten: the limit does not stop an attacker with that many addresses.
 */
const KEYS_MAX = 50_000;

/** The result of counting a request. */
export interface Counted {
  /** Whether this request exceeds the limit. */
  over: boolean;
  /** Seconds until the window ends. */
  reset_s: number;
  /** Tell the client how many requests are left (draft-ietf-httpapi-ratelimit-headers). */
  headers: Record<string, string>;
}

/**
 * Returns a function that counts requests in windows of a minute. A window begins with the first request of its user or
 * address.
 */
export function rateCounter(limit: number): (key: string, now_ms: number, requests?: number) => Counted {
  const windows = new LRUCache<string, { count: number; ends_at_ms: number }>({ max: KEYS_MAX });
  const policy = `"default";q=${String(limit)};w=${String(WINDOW_S)}`;
  return (key, now_ms, requests = 1) => {
    let window = windows.get(key);
    // If the clock was set back, the window must not become longer.
    if (window === undefined || now_ms >= window.ends_at_ms || now_ms < window.ends_at_ms - WINDOW_MS) {
      window = { count: 0, ends_at_ms: now_ms + WINDOW_MS };
      windows.set(key, window);
    }
    window.count += requests;
    const left = Math.max(0, limit - window.count);
    const reset_s = Math.max(1, Math.ceil((window.ends_at_ms - now_ms) / 1_000));
    const headers = {
      'RateLimit-Policy': policy,
      RateLimit: `"default";r=${String(left)};t=${String(reset_s)}`,
    };
    return { over: window.count > limit, reset_s, headers };
  };
}
