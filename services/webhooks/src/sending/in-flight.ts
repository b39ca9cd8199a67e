/**
 * Counts the requests of this process, and decides how many more an endpoint may get. A slow or dead endpoint then holds few of
 * the slots, and all of those together only a part.
 */
import type { Ask } from './claim.store.ts';

/** A request needs some 50 KiB: together at most 50 MiB. Ten times what 100 deliveries a second need at 1 s each. */
export const IN_FLIGHT_MAX = 1_000;

/** For all endpoints that fail or are slow. The other slots stay free for those that work. */
export const SUSPECT_IN_FLIGHT_MAX = 250;

/** With a request that is running for longer, an endpoint gets no further one. Most answer within 1 s. */
export const SLOW_AFTER_MS = 2_000;

/** What a new endpoint gets. Each success permits one more. */
export const ALLOWANCE_START = 2;

/** Enough for 300 deliveries a second to one endpoint that answers within 100 ms. */
export const ALLOWANCE_MAX = 32;

/** Beyond that, what was learned about endpoints without requests is forgotten, so that memory is bounded. */
const KEPT_MAX_ENDPOINTS = 20_000;

interface Running {
  began_ms: number;
}

interface Endpoint {
  /** Its requests, in the order in which they began. */
  running: Set<Running>;
  allowance: number;
  isFailing: boolean;
  /** Whether it may have more that is due, and gets it once a request ends. */
  hasMore: boolean;
}

export class InFlight {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #busy = new Set<Endpoint>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /**
   * Returns what the endpoints may get at present, and leaves out those that get nothing: the end of a request reports that
   * they may get more, or the next search for due deliveries finds them.
   * @param now_ms by performance.now()
   */
  asksFor(webhook_ids: Iterable<string>, now_ms: number): Ask[] {
    let free = IN_FLIGHT_MAX - this.#total;
    let suspect_free = SUSPECT_IN_FLIGHT_MAX - this.#countSuspects(now_ms);
    const asks: Ask[] = [];
    for (const webhook_id of webhook_ids) {
      const endpoint = this.#endpoints.get(webhook_id);
      const count = endpoint?.running.size ?? 0;
      const isSlow = endpoint !== undefined && isSlowAt(endpoint, now_ms);
      const allowed = isSlow ? 0 : (endpoint?.allowance ?? ALLOWANCE_START) - count;
      const healthy = Math.max(0, Math.min(allowed, free));
      const failing = count === 0 && free > 0 && suspect_free > 0 ? 1 : 0;
      if (endpoint !== undefined) endpoint.hasMore = true;
      if (healthy === 0 && failing === 0) continue;
      // One that is known to fail takes no slot of the others.
      if (endpoint?.isFailing !== true) free -= healthy;
      else free -= failing;
      if (endpoint?.isFailing !== false) suspect_free -= failing;
      asks.push({ webhook_id, healthy, failing });
    }
    return asks;
  }

  /**
   * Counts a request. Those of one delivery count each: it is sent again while a request is running if a user asks for that.
   * @returns a function for the end of the request, which returns whether the endpoint may have more that is due
   */
  begin(
    { webhook_id, is_failing }: { webhook_id: string; is_failing: boolean },
    now_ms: number,
  ): (succeeded: boolean) => boolean {
    const endpoint = this.#endpointOf(webhook_id);
    const request = { began_ms: now_ms };
    this.#total += 1;
    endpoint.running.add(request);
    this.#busy.add(endpoint);
    endpoint.isFailing = is_failing;
    return (succeeded) => this.#end(endpoint, request, succeeded);
  }

  /** Notes whether everything that was due has been claimed. */
  claimed({ webhook_id, healthy, failing }: Ask, count: number): void {
    const endpoint = this.#endpoints.get(webhook_id);
    if (endpoint !== undefined) endpoint.hasMore = count >= (endpoint.isFailing ? failing : healthy);
  }

  #end(endpoint: Endpoint, request: Running, succeeded: boolean): boolean {
    this.#total -= 1;
    endpoint.running.delete(request);
    if (endpoint.running.size === 0) this.#busy.delete(endpoint);
    endpoint.isFailing = !succeeded;
    endpoint.allowance = succeeded ? Math.min(ALLOWANCE_MAX, endpoint.allowance + 1) : ALLOWANCE_START;
    const { hasMore } = endpoint;
    endpoint.hasMore = false;
    return hasMore;
  }

  #endpointOf(webhook_id: string): Endpoint {
    let endpoint = this.#endpoints.get(webhook_id);
    if (endpoint === undefined) {
      if (this.#endpoints.size >= KEPT_MAX_ENDPOINTS) this.#forget();
      endpoint = { running: new Set(), allowance: ALLOWANCE_START, isFailing: false, hasMore: false };
      this.#endpoints.set(webhook_id, endpoint);
    }
    return endpoint;
  }

  #forget(): void {
    for (const [id, { running }] of this.#endpoints) if (running.size === 0) this.#endpoints.delete(id);
  }

  #countSuspects(now_ms: number): number {
    let count = 0;
    for (const endpoint of this.#busy) {
      if (endpoint.isFailing || isSlowAt(endpoint, now_ms)) count += endpoint.running.size;
    }
    return count;
  }
}

function isSlowAt({ running }: Endpoint, now_ms: number): boolean {
  // The first is the oldest.
  for (const { began_ms } of running) return now_ms - began_ms > SLOW_AFTER_MS;
  return false;
}
