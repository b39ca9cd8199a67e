/** Sends what is due: claims it from the database, posts it, and records what came of it. */
import type { Log } from '@association-service/contracts/service';
import { spannedByEvent, type SqlDatabase } from '@association-service/contracts/subscriber';
import { byKey } from './by-key.store.ts';
import { claimDue, findCandidates, findDue, releaseClaim, type Ask, type Claim } from './claim.store.ts';
import { InFlight, SLOW_AFTER_MS } from './in-flight.ts';
import { judge, type Exchange, type Outcome } from './outcome.rules.ts';
import { FIRST_ID } from '../positions.rules.ts';
import type { Message, Poster } from './post.ts';
import type { Recorder } from './recorder.ts';

/** How often the database is searched for deliveries that became due, or that another process has left. */
export const POLL_EVERY_MS = 500;

/**
 * Endpoints for which something waits that one search looks at, in some 30 ms. The next one goes on from there, so that retries to
 * 36 000 endpoints begin at most 4 s late.
 */
const POLL_MAX_ENDPOINTS = 5_000;

/** Endpoints that are looked up together: enough to share the cost, and few enough that the first are not kept waiting. */
const CANDIDATES_MAX = 200;

/** How long requests may take to end when the process stops. The others are sent again by another process. */
const STOP_GRACE_MS = 5_000;

export interface DispatcherDeps {
  db: SqlDatabase;
  poster: Poster;
  recorder: Recorder;
  /** Signs a claimed delivery. */
  messageOf: (claim: Claim) => Message;
  clock: () => Date;
  systemClock: () => Date;
  newId: () => string;
  /** From 0 to 1, for jitter. */
  random: () => number;
  reached: (step: string) => Promise<void>;
  log: Log;
  /** Counts the outcome of an attempt. */
  measure: (claim: Claim, outcome: Outcome, exchange: Exchange) => void;
}

export interface Dispatcher {
  /** Sends what is due for these endpoints, as soon as it is their turn. */
  wake(webhook_ids: readonly string[]): void;
  /** Searches for endpoints with something due, and wakes them. */
  poll(): Promise<void>;
  /** How many requests are running. */
  inFlight(): number;
  /** Claims nothing more, and waits until the running requests have ended or were given back. */
  stop(): Promise<void>;
}

/** What is recorded for a delivery whose endpoint was disabled after it was made. */
const DISABLED: Exchange = { status_code: null, error: 'endpoint_disabled', duration_ms: 0 };

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { db, poster, newId, log } = deps;
  const slots = new InFlight();
  const woken = new Set<string>();
  const sending = new Set<Promise<void>>();
  const stop = { isStopping: false, isAborting: false };
  let isClaiming = false;
  let claiming: Promise<void> = Promise.resolve();

  function wake(webhook_ids: readonly string[]): void {
    for (const id of webhook_ids) woken.add(id);
    if (!isClaiming && !stop.isStopping) claiming = claimAll();
  }

  async function claimAll(): Promise<void> {
    isClaiming = true;
    while ((woken.size > 0 || slots.hasTurn()) && !stop.isStopping) {
      const webhook_ids = [...woken.values().take(CANDIDATES_MAX)];
      for (const id of webhook_ids) woken.delete(id);
      try {
        await claim(webhook_ids);
      } catch (error) {
        // The next search finds them again, and fails as a job does that is logged, while the database is unavailable.
        log.warn('deliveries could not be claimed', { message: (error as Error).message });
        woken.clear();
        break;
      }
    }
    isClaiming = false;
  }

  /** Claims what is due for these endpoints, and for those that have waited, as far as it is their turn. */
  async function claim(webhook_ids: readonly string[]): Promise<void> {
    const claim_id = newId();
    const { asks, claims } = await claimTurns(deps, slots, webhook_ids, claim_id);
    if (stop.isStopping) {
      const ids = claims.map(({ id }) => id);
      return releaseClaim(db, claim_id, ids);
    }
    const counts = new Map<string, number>();
    for (const each of claims) {
      const end = slots.begin(each, performance.now());
      counts.set(each.webhook_id, (counts.get(each.webhook_id) ?? 0) + 1);
      const sent = send(each, claim_id, end).finally(() => sending.delete(sent));
      sending.add(sent);
    }
    for (const ask of asks) slots.claimed(ask, counts.get(ask.webhook_id) ?? 0);
  }

  async function send(claimed: Claim, claim_id: string, end: (isGood: boolean) => boolean): Promise<void> {
    let isGood = false;
    try {
      isGood = await sendAndRecord(deps, claimed, claim_id, stop);
    } catch (error) {
      log.warn('a delivery was not recorded, and is sent again', { id: claimed.id, message: (error as Error).message });
    } finally {
      // The slot goes to the endpoint whose turn it is, also if this one has nothing more.
      wake(end(isGood) ? [claimed.webhook_id] : []);
    }
  }

  return {
    wake,
    poll: createSearch(deps, wake),
    inFlight: () => slots.total,
    async stop() {
      stop.isStopping = true;
      await claiming;
      await endAll(sending, () => {
        stop.isAborting = true;
        poster.close();
      });
      poster.close();
    },
  };
}

/** Claims deliveries for the endpoints whose turn it is, among these and those that have waited. */
function claimTurns(
  { db, clock }: Pick<DispatcherDeps, 'db' | 'clock'>,
  slots: InFlight,
  webhook_ids: readonly string[],
  claim_id: string,
): Promise<{ asks: Ask[]; claims: Claim[] }> {
  return byKey(db, async (tx) => {
    const candidates = webhook_ids.length === 0 ? [] : await findCandidates(tx, webhook_ids);
    const asks = slots.asksFor(candidates, performance.now());
    return { asks, claims: asks.length === 0 ? [] : await claimDue(tx, asks, clock(), claim_id) };
  });
}

/** Returns a function that wakes endpoints with something due, each time those that follow. */
function createSearch({ db, clock }: DispatcherDeps, wake: Dispatcher['wake']): () => Promise<void> {
  let after_id = FIRST_ID;
  return async () => {
    const found = await byKey(db, (tx) => findDue(tx, after_id, clock(), POLL_MAX_ENDPOINTS));
    after_id = found.after_id;
    wake(found.webhook_ids);
  };
}

/** Waits until all have ended, and calls `abort` if that takes long. */
async function endAll(running: ReadonlySet<Promise<void>>, abort: () => void): Promise<void> {
  const timer = setTimeout(abort, STOP_GRACE_MS);
  while (running.size > 0) await Promise.all(running);
  clearTimeout(timer);
}

/** Sends a delivery, in a span of the request that caused the event. */
function post({ poster, messageOf }: Pick<DispatcherDeps, 'poster' | 'messageOf'>, claimed: Claim): Promise<Exchange> {
  const cause = () => JSON.parse(claimed.body) as { requestid?: string; traceparent?: string };
  const attributes = { 'http.request.method': 'POST', 'messaging.message.id': claimed.event_id };
  return spannedByEvent(cause, 'POST webhook', attributes, () => poster.post(messageOf(claimed)));
}

/** @returns whether the endpoint has accepted the delivery, and soon */
async function sendAndRecord(
  deps: DispatcherDeps,
  claimed: Claim,
  claim_id: string,
  stop: { isAborting: boolean },
): Promise<boolean> {
  const { id, webhook_id, repairs, tries } = claimed;
  const at = deps.clock();
  await deps.reached('webhooks.delivery.claimed');
  const exchange = claimed.is_enabled ? await post(deps, claimed) : DISABLED;
  if (stop.isAborting && exchange.status_code === null) {
    await releaseClaim(deps.db, claim_id, [id]);
    return false;
  }
  await deps.reached('webhooks.delivery.sent');
  const outcome = judge(exchange, tries, deps.systemClock(), deps.random());
  const succeeded = outcome.status === 'delivered';
  const { status_code, error, duration_ms } = exchange;
  await deps.recorder.record({
    id,
    claim_id,
    webhook_id,
    repairs,
    status: outcome.status,
    next_attempt_at: outcome.wait_ms === undefined ? null : new Date(deps.clock().getTime() + outcome.wait_ms),
    attempt: { at: at.toISOString(), status_code, error, duration_ms },
    succeeded,
    isGone: outcome.isGone,
    changesHealth: claimed.is_enabled && (!succeeded || claimed.is_failing),
  });
  deps.measure(claimed, outcome, exchange);
  await deps.reached('webhooks.delivery.recorded');
  return succeeded && duration_ms <= SLOW_AFTER_MS;
}
