/** Sends what is due: claims it from the database, posts it, and records what came of it. */
import type { Log } from '@association-service/contracts/service';
import { spannedByEvent, type SqlDatabase } from '@association-service/contracts/subscriber';
import { byKey } from './by-key.store.ts';
import { claimDue, findDue, releaseClaim, type Ask, type Claim } from './claim.store.ts';
import { InFlight } from './in-flight.ts';
import { judge, type Exchange, type Outcome } from './outcome.rules.ts';
import { FIRST_ID } from '../positions.rules.ts';
import type { Message, Poster } from './post.ts';
import type { Recorder } from './recorder.ts';

/** How often the database is searched for deliveries that became due, or that another process has left. */
export const POLL_EVERY_MS = 500;

/** Endpoints that one search finds. More are found by the next one, which goes on from there. */
const POLL_MAX_ENDPOINTS = 1_000;

/** Endpoints of one claim: enough to share its cost, and few enough that the first are not kept waiting. */
const CLAIM_MAX_ENDPOINTS = 200;

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
  /** Sends what is due for these endpoints, as soon as there are free slots. */
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
  const { db, poster, clock, newId, log } = deps;
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
    while (woken.size > 0 && !stop.isStopping) {
      const webhook_ids = [...woken.values().take(CLAIM_MAX_ENDPOINTS)];
      for (const id of webhook_ids) woken.delete(id);
      try {
        await claim(slots.asksFor(webhook_ids, performance.now()));
      } catch (error) {
        // The next search finds them again, and fails as a job does that is logged, while the database is unavailable.
        log.warn('deliveries could not be claimed', { message: (error as Error).message });
        woken.clear();
      }
    }
    isClaiming = false;
  }

  async function claim(asks: readonly Ask[]): Promise<void> {
    if (asks.length === 0) return;
    const claim_id = newId();
    const claims = await byKey(db, (tx) => claimDue(tx, asks, clock(), claim_id));
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

  async function send(claimed: Claim, claim_id: string, end: (succeeded: boolean) => boolean): Promise<void> {
    let succeeded = false;
    try {
      succeeded = await sendAndRecord(deps, claimed, claim_id, stop);
    } catch (error) {
      log.warn('a delivery was not recorded, and is sent again', { id: claimed.id, message: (error as Error).message });
    } finally {
      if (end(succeeded)) wake([claimed.webhook_id]);
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

/** Returns a function that wakes endpoints with something due, each time those that follow. */
function createSearch({ db, clock }: DispatcherDeps, wake: Dispatcher['wake']): () => Promise<void> {
  let after_id = FIRST_ID;
  return async () => {
    const found = await byKey(db, (tx) => findDue(tx, after_id, clock(), POLL_MAX_ENDPOINTS));
    after_id = found.length < POLL_MAX_ENDPOINTS ? FIRST_ID : (found.at(-1) ?? FIRST_ID);
    wake(found);
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

/** @returns whether the endpoint has accepted the delivery */
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
  return succeeded;
}
