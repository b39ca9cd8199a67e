import type { JsMsg } from 'nats';
import type { ALL_TYPES, EventType, LedgerEvent } from '../contracts/events.ts';
import type { SqlPool, SqlTransaction } from '../db/sql.ts';
import { exceedsStatementLimit, isUnavailable } from '../db/errors.ts';
import { faultOf } from '../errors/fault.ts';
import { problemCode } from '../errors/problem.ts';
import type { Log } from '../node/logger.ts';
import type { Clock } from '../node/clock.ts';
import { runIn } from '../tracing/activity.ts';
import { spanned } from '../tracing/spans.ts';
import type { Bus } from './bus.ts';
import { causeOf } from './cause.ts';
import { eventIn, readAhead } from './read-ahead.ts';

/** The waits between the deliveries of an event whose handler fails. After the last, the event becomes a dead letter. */
const BACKOFF_MS = [100, 500, 2_000, 5_000, 10_000, 20_000, 30_000];

/** The wait while the database is unavailable: events must be handled within 5 s after its return. */
const UNAVAILABLE_WAIT_MS = 1_000;

/** How many events are prefetched for one transaction: enough to share the cost of the commit, few enough to repeat. */
const PREFETCH_MAX_EVENTS = 32;

/** How a service handles one type of event, or all. */
export interface Subscription<T extends EventType = EventType> {
  /** The name of the consumer and of its inbox rows. It must never change. */
  durable: string;
  type: T | typeof ALL_TYPES;
  /**
   * Applies the event in the transaction that marks it as seen, which may handle further events. If it throws, all of them
   * are rolled back, and each is delivered again and handled in a separate transaction.
   */
  handle(event: LedgerEvent<T>, tx: SqlTransaction): void | Promise<void>;
}

export interface SubscriberParts {
  bus: Bus;
  db: Pick<SqlPool, 'transaction'>;
  clock: Clock;
  log: Log;
  /** The waits between deliveries; tests shorten them. */
  backoff_ms?: readonly number[];
}

interface MeasuredParts extends SubscriberParts {
  meter: { handled(event: LedgerEvent): void; failed(): void };
}

/**
 * Returns a function that handles a message and acknowledges it. In the same transaction it handles events that follow in
 * the stream, which are prefetched: no node gets them before the message is acknowledged. Subscribers that committed each
 * event separately fell behind at half load.
 *
 * A message is handled in one of these ways:
 * 1. Its event was prefetched and handled: it is only acknowledged, after the next events were prefetched and handled.
 * 2. More messages are pending: its event and those that follow are handled together.
 * 3. It is the last one, or handling its event with others has failed: the event is handled in a separate transaction.
 *
 * Make a new function for each consumption: it keeps positions of the stream, which may have been created again since then.
 */
export function handleInOrder<T extends EventType>(
  parts: MeasuredParts,
  subscription: Subscription<T>,
): (message: JsMsg) => Promise<void> {
  const { durable, type } = subscription;
  /** The ids of events that were prefetched and handled, and whose messages have not been delivered yet. */
  let prefetchedIds = new Set<string>();
  /** The place of the last event that was prefetched and handled. */
  let prefetched_through_seq = 0;
  /** The place of the last event that was prefetched. After a failure, the events up to it are handled one by one. */
  let one_by_one_through_seq = 0;
  /** The event that failed last, and how often. */
  let failed = { id: '', times: 0 };

  /** Counts a failure. The number of deliveries would count outages too. */
  function countFailure({ id }: LedgerEvent): number {
    failed = { id, times: failed.id === id ? failed.times + 1 : 1 };
    return failed.times;
  }

  /** Handles `first` and the events that follow `after_seq`; returns false if none was applied. */
  async function handleTogether(first: LedgerEvent<T>[], after_seq: number, following: number): Promise<boolean> {
    try {
      const events_max = Math.min(following, PREFETCH_MAX_EVENTS);
      const { events, through_seq } = await readAhead(parts.bus, type, after_seq, events_max);
      one_by_one_through_seq = through_seq;
      await applyOnce(parts, subscription, [...first, ...events]);
      prefetched_through_seq = through_seq;
      for (const { id } of events) prefetchedIds.add(id);
      return true;
    } catch (error) {
      // The event that failed fails again when it is handled separately, and is retried then.
      parts.log.warn('subscriber: events cannot be handled together and are handled one by one', {
        durable,
        ...faultOf(error),
      });
      return false;
    }
  }

  return async (message) => {
    const event = eventIn<T>(message);
    if (event === undefined) {
      // The message is not from an outbox. Without term(), it would be delivered again and block the events that follow.
      parts.log.error('subscriber: not an event, dropped', { durable, subject: message.subject });
      message.term();
      return;
    }
    const { pending } = message.info;
    if (prefetchedIds.delete(event.id)) {
      const following = pending - prefetchedIds.size;
      const hasFailed = one_by_one_through_seq > prefetched_through_seq;
      if (following > 0 && !hasFailed) await handleTogether([], prefetched_through_seq, following);
      // If this acknowledgement is lost, the event is delivered again, and the inbox has it.
      message.ack();
      return;
    }
    // The prefetched events were delivered to another node.
    prefetchedIds = new Set();
    const mayPrefetch = pending > 0 && message.seq > one_by_one_through_seq;
    if (mayPrefetch && (await handleTogether([event], message.seq, pending))) await message.ackAck();
    else await handleOne(parts, subscription, message, event, countFailure);
  };
}

async function handleOne<T extends EventType>(
  parts: MeasuredParts,
  subscription: Subscription<T>,
  message: JsMsg,
  event: LedgerEvent<T>,
  countFailure: (event: LedgerEvent) => number,
): Promise<void> {
  try {
    await applyOnce(parts, subscription, [event]);
  } catch (error) {
    const { durable } = subscription;
    const deliveries = message.info.deliveryCount;
    const failure = { durable, event_id: event.id, deliveries, ...faultOf(error) };
    parts.log.warn('subscriber: event failed', failure);
    parts.meter.failed();
    // An outage is not the event's fault, so it delays the event only while it lasts, and makes no dead letter.
    const wait_ms = isOutage(error) ? UNAVAILABLE_WAIT_MS : (parts.backoff_ms ?? BACKOFF_MS)[countFailure(event) - 1];
    if (wait_ms !== undefined) {
      message.nak(wait_ms);
      return;
    }
    // Stored before the message is acknowledged.
    await parts.db.transaction((tx) =>
      tx.run(STORE_DEAD_LETTER, [
        durable,
        event.id,
        message.subject,
        JSON.stringify(event),
        (error as Error).message,
        deliveries,
        parts.clock(),
      ]),
    );
    parts.log.error('subscriber: event dead-lettered', failure);
  }
  await message.ackAck();
}

/** Whether the handler failed because a database, or another service that it called, is unavailable, whatever the event is. */
function isOutage(error: unknown): boolean {
  const isDatabaseAway = isUnavailable(error) && !exceedsStatementLimit(error);
  return isDatabaseAway || problemCode(error) === 'service_unavailable';
}

/** Applies the events that are not in the inbox, in one transaction. */
async function applyOnce<T extends EventType>(
  { db, clock, meter }: MeasuredParts,
  subscription: Subscription<T>,
  events: LedgerEvent<T>[],
): Promise<void> {
  if (events.length === 0) return;
  const handled = await db.transaction((tx) => applyWithin(tx, subscription, events, clock()));
  for (const event of handled) meter.handled(event);
}

/**
 * Applies the events that are not in the inbox, in the caller's transaction, and adds them to it.
 * @returns those that were applied
 */
export async function applyWithin<T extends EventType>(
  tx: SqlTransaction,
  subscription: Subscription<T>,
  events: LedgerEvent<T>[],
  now: Date,
): Promise<LedgerEvent<T>[]> {
  const ids = events.map(({ id }) => id);
  const rows = await tx.rows<{ event_id: string }>(MARK_SEEN, [subscription.durable, ids, now]);
  const unseen = new Set(rows.map(({ event_id }) => event_id));
  const unhandled = events.filter(({ id }) => unseen.delete(id));
  for (const event of unhandled) await handleOnBehalf(subscription, event, tx);
  return unhandled;
}

/** Handles an event on behalf of the request that caused it. */
async function handleOnBehalf<T extends EventType>(
  subscription: Subscription<T>,
  event: LedgerEvent<T>,
  tx: SqlTransaction,
): Promise<void> {
  const attributes = {
    'messaging.system': 'nats',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': subscription.durable,
    'messaging.message.id': event.id,
  };
  const name = `process ${subscription.type}`;
  await runIn(causeOf(event), () => spanned('consumer', name, attributes, () => subscription.handle(event, tx)));
}

/** Returns the ids of events that had not been seen. */
const MARK_SEEN = {
  name: 'inbox.mark_seen',
  // Ordered, so that two nodes with the same events cannot wait for each other.
  text: `
    INSERT INTO inbox (consumer, event_id, processed_at)
    SELECT $1, event_id, $3 FROM unnest($2::uuid[]) AS ids (event_id) ORDER BY event_id
    ON CONFLICT DO NOTHING RETURNING event_id`,
};

const STORE_DEAD_LETTER = `
  INSERT INTO dead_letters (consumer, event_id, subject, event, error, deliveries, dead_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`;
