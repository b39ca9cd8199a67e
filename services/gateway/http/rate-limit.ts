import { LRUCache } from 'lru-cache';

/** Contract, section 7: RATE_LIMIT counts by the minute. */
const WINDOW_S = 60;
const WINDOW_MS = WINDOW_S * 1_000;

/**
 * Of users, and of addresses, counted at a time: at most some 10 MB each. Beyond that the one that asked least recently
 * is forgotten: counting does not stop an attacker who has that many addresses.
 */
const KEYS_MAX = 50_000;

/** How a request counted. */
export interface Counted {
  limit: number;
  /** Requests left in this window. */
  remaining: number;
  /** Until the window ends. */
  reset_s: number;
  /** Whether this request exceeds the limit. */
  over: boolean;
}

interface Window {
  count: number;
  ends_at_ms: number;
}

/** What a request counts for. */
export type Counter = { user_id: string } | { address: string };

/** Counts requests in windows of a minute, each beginning with the first request of its user or address. */
export function rateCounter(limit: number): (counter: Counter, now_ms: number) => Counted {
  // Two maps, so that a flood of addresses cannot push out the count of a user.
  const users = new LRUCache<string, Window>({ max: KEYS_MAX });
  const addresses = new LRUCache<string, Window>({ max: KEYS_MAX });
  return (counter, now_ms) => {
    const [windows, key] = 'user_id' in counter ? [users, counter.user_id] : [addresses, counter.address];
    const window = currentWindow(windows, key, now_ms);
    window.count += 1;
    return {
      limit,
      remaining: Math.max(0, limit - window.count),
      reset_s: Math.max(1, Math.ceil((window.ends_at_ms - now_ms) / 1_000)),
      over: window.count > limit,
    };
  };
}

function currentWindow(windows: LRUCache<string, Window>, key: string, now_ms: number): Window {
  const found = windows.get(key);
  // A clock that was set back must not make a window longer.
  if (found !== undefined && now_ms < found.ends_at_ms && found.ends_at_ms - now_ms <= WINDOW_MS) return found;
  const fresh = { count: 0, ends_at_ms: now_ms + WINDOW_MS };
  windows.set(key, fresh);
  return fresh;
}

/** The headers that tell a client what is left to it (draft-ietf-httpapi-ratelimit-headers). */
export function rateHeaders({ limit, remaining, reset_s }: Counted): Record<string, string> {
  return {
    'RateLimit-Policy': `"default";q=${String(limit)};w=${String(WINDOW_S)}`,
    RateLimit: `"default";r=${String(remaining)};t=${String(reset_s)}`,
  };
}
