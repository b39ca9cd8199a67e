import { LRUCache } from 'lru-cache';

/** Contract, section 7: RATE_LIMIT counts by the minute. */
const WINDOW_S = 60;
const WINDOW_MS = WINDOW_S * 1_000;

/**
 * Of users, or of addresses, counted at a time: at most some 10 MB. Beyond that the one that asked least recently is
 * forgotten: counting does not stop an attacker who has that many addresses.
 */
const KEYS_MAX = 50_000;

/** How a request counted. */
export interface Counted {
  /** Whether this request exceeds the limit. */
  over: boolean;
  /** Until the window ends. */
  reset_s: number;
  /** They tell the client what is left (draft-ietf-httpapi-ratelimit-headers). */
  headers: Record<string, string>;
}

/** Counts requests in windows of a minute, each beginning with the first request of its user or address. */
export function rateCounter(limit: number): (key: string, now_ms: number) => Counted {
  const windows = new LRUCache<string, { count: number; ends_at_ms: number }>({ max: KEYS_MAX });
  const policy = `"default";q=${String(limit)};w=${String(WINDOW_S)}`;
  return (key, now_ms) => {
    let window = windows.get(key);
    // A clock that was set back must not make a window longer.
    if (window === undefined || now_ms >= window.ends_at_ms || now_ms < window.ends_at_ms - WINDOW_MS) {
      window = { count: 0, ends_at_ms: now_ms + WINDOW_MS };
      windows.set(key, window);
    }
    window.count += 1;
    const left = Math.max(0, limit - window.count);
    const reset_s = Math.max(1, Math.ceil((window.ends_at_ms - now_ms) / 1_000));
    const headers = {
      'RateLimit-Policy': policy,
      RateLimit: `"default";r=${String(left)};t=${String(reset_s)}`,
    };
    return { over: window.count > limit, reset_s, headers };
  };
}
