/**
 * Counts the requests of this process, and decides which endpoints may have more. A slow or dead endpoint then holds few of the
 * slots, all of those together only a part, and so do all that one user has created.
 */
import type { Ask, Candidate } from './claim.store.ts';
import { Slots } from './slots.ts';
import { Turns } from './turns.ts';

/** An endpoint whose request takes longer is slow, until one is answered within this time. Most answer within 1 s. */
export const SLOW_AFTER_MS = 2_000;

/** What a new endpoint gets. Each success permits one more. */
export const ALLOWANCE_START = 2;

/** Enough for 300 deliveries a second to one endpoint that answers within 100 ms. */
export const ALLOWANCE_MAX = 32;

/** Endpoints of one claim, for each kind: enough to share its cost, and few enough that the first are not kept waiting. */
export const ASKS_MAX = 100;

/** Beyond that, what was learned about endpoints without requests is forgotten, so that memory is bounded. */
const KEPT_MAX_ENDPOINTS = 20_000;

interface Running {
  began_ms: number;
  /** Whether its endpoint was a suspect when it began. */
  isSuspect: boolean;
}

interface Endpoint {
  owner_id: string;
  /** Its requests, in the order in which they began. */
  running: Set<Running>;
  allowance: number;
  /** Whether its last request has failed or was slow: it gets one at a time then. */
  isSuspect: boolean;
  /** Whether it may have more that is due, and gets it once a request ends. */
  hasMore: boolean;
}

export class InFlight {
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #slots = new Slots();
  /** Each endpoint waits in one of them at most. */
  readonly #suspects = new Turns();
  readonly #working = new Turns();

  get total(): number {
    return this.#slots.all.running;
  }

  /**
   * Lets endpoints wait for slots, and returns those whose turn it is, with how much they may get. One whose own requests have to end
   * first does not wait: their end reports that it may get more.
   * @param now_ms by performance.now()
   */
  asksFor(candidates: Iterable<Candidate>, now_ms: number): Ask[] {
    for (const candidate of candidates) this.#wait(candidate, now_ms);
    const slots = this.#slots.copy();
    return [...this.#take(slots, true, now_ms), ...this.#take(slots, false, now_ms)];
  }

  /** Whether one of the endpoints that wait can get a slot. */
  hasTurn(): boolean {
    const slots = this.#slots;
    return [true, false].some(
      (isSuspect) =>
        slots.free(isSuspect) > 0 &&
        this.#turnsOf(isSuspect).isNext((owner_id) => slots.freeFor(owner_id, isSuspect) > 0),
    );
  }

  /**
   * Counts a request. Those of one delivery count each: it is sent again while a request is running if a user asks for that.
   * @returns a function for the end of the request, which is told whether the endpoint has accepted it within SLOW_AFTER_MS, and
   * returns whether the endpoint may have more that is due
   */
  begin({ webhook_id, owner_id, is_failing }: Candidate, now_ms: number): (isGood: boolean) => boolean {
    const endpoint = this.#endpointOf(webhook_id, owner_id);
    endpoint.isSuspect ||= is_failing;
    const request = { began_ms: now_ms, isSuspect: endpoint.isSuspect };
    endpoint.running.add(request);
    this.#slots.count(owner_id, request.isSuspect, 1);
    return (isGood) => this.#end(endpoint, request, isGood);
  }

  /** Notes whether everything that was due has been claimed. */
  claimed({ webhook_id, count }: Ask, claims: number): void {
    const endpoint = this.#endpoints.get(webhook_id);
    if (endpoint !== undefined) endpoint.hasMore = claims >= (endpoint.isSuspect ? 1 : count);
  }

  #wait({ is_failing, ...owned }: Candidate, now_ms: number): void {
    const endpoint = this.#endpoints.get(owned.webhook_id);
    const isSuspect = is_failing || endpoint?.isSuspect === true;
    // It may have begun to wait when it was the other.
    this.#turnsOf(!isSuspect).remove(owned);
    if (endpoint !== undefined) endpoint.hasMore = true;
    if (allowedAt(endpoint, isSuspect, now_ms) > 0) this.#turnsOf(isSuspect).add(owned);
  }

  /** Takes endpoints that wait, and counts what they may get as if it had begun. */
  #take(slots: Slots, isSuspect: boolean, now_ms: number): Ask[] {
    const asks: Ask[] = [];
    while (asks.length < ASKS_MAX && slots.free(isSuspect) > 0) {
      const next = this.#turnsOf(isSuspect).take((owner_id) => slots.freeFor(owner_id, isSuspect) > 0);
      if (next === undefined) break;
      const { webhook_id, owner_id } = next;
      const endpoint = this.#endpoints.get(webhook_id);
      const count = Math.min(allowedAt(endpoint, isSuspect, now_ms), slots.freeFor(owner_id, isSuspect));
      // While it has waited, its requests have become slow: their end reports that it may get more.
      if (count <= 0) continue;
      slots.count(owner_id, isSuspect, count);
      asks.push({ webhook_id, count });
    }
    return asks;
  }

  #turnsOf(isSuspect: boolean): Turns {
    return isSuspect ? this.#suspects : this.#working;
  }

  #end(endpoint: Endpoint, request: Running, isGood: boolean): boolean {
    endpoint.running.delete(request);
    this.#slots.count(endpoint.owner_id, request.isSuspect, -1);
    endpoint.isSuspect = !isGood;
    endpoint.allowance = isGood ? Math.min(ALLOWANCE_MAX, endpoint.allowance + 1) : ALLOWANCE_START;
    const { hasMore } = endpoint;
    endpoint.hasMore = false;
    return hasMore;
  }

  #endpointOf(webhook_id: string, owner_id: string): Endpoint {
    let endpoint = this.#endpoints.get(webhook_id);
    if (endpoint === undefined) {
      if (this.#endpoints.size >= KEPT_MAX_ENDPOINTS) this.#forget();
      endpoint = { owner_id, running: new Set(), allowance: ALLOWANCE_START, isSuspect: false, hasMore: false };
      this.#endpoints.set(webhook_id, endpoint);
    }
    return endpoint;
  }

  #forget(): void {
    for (const [id, { running }] of this.#endpoints) if (running.size === 0) this.#endpoints.delete(id);
  }
}

/** Returns how many requests an endpoint may have besides those that are running. */
function allowedAt(endpoint: Endpoint | undefined, isSuspect: boolean, now_ms: number): number {
  const running = endpoint?.running.size ?? 0;
  if (isSuspect) return 1 - running;
  if (endpoint === undefined) return ALLOWANCE_START;
  return isSlowAt(endpoint, now_ms) ? 0 : endpoint.allowance - running;
}

function isSlowAt({ running }: Endpoint, now_ms: number): boolean {
  // The first is the oldest.
  for (const { began_ms } of running) return now_ms - began_ms > SLOW_AFTER_MS;
  return false;
}
