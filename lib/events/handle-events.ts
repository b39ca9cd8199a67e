import type { Logger } from 'moleculer';
import type { JsMsg } from 'nats';
import type { EventType, LedgerEvent } from '../contracts/events.ts';
import type { Pool, Transaction } from '../db/db.ts';
import { faultOf } from '../node/log.ts';
import type { Clock } from '../node/runtime.ts';
import type { Bus } from './bus.ts';
import { eventIn, readAhead } from './read-ahead.ts';

/** Waits between the deliveries of an event whose handler fails; after the last it becomes a dead letter. */
const BACKOFF_MS = [100, 500, 2_000, 5_000, 10_000, 20_000, 30_000];

/** Further events in one transaction: enough to share the cost of the commit, few enough to repeat. */
const READ_AHEAD_MAX_EVENTS = 32;

/** How a service handles one type of event. */
export interface Subscription<T extends EventType = EventType> {
  /** The name of the consumer and of its inbox rows. It must never change. */
  durable: string;
  type: T;
  /**
   * Applies the event in the transaction that marks it as seen, which may hold further events. If it throws, they are all
   * rolled back, and each is delivered again and handled alone.
   */
  handle(event: LedgerEvent<T>, tx: Transaction): void | Promise<void>;
}

export interface SubscriberParts {
  bus: Bus;
  db: Pick<Pool, 'transaction'>;
  clock: Clock;
  log: Logger;
  /** Waits between deliveries; tests shorten them. */
  backoff_ms?: readonly number[];
}

/**
 * Returns a function that handles a message and acknowledges it. In the same transaction it handles events that follow in
 * the stream, which no node gets before the message is acknowledged. Their messages are delivered later, and then only
 * acknowledged. Subscribers that committed each event alone fell behind at half load.
 *
 * Make a new function for each consumption: it keeps positions of the stream, which may have been created again meanwhile.
 */
export function handleInOrder<T extends EventType>(
  parts: SubscriberParts,
  subscription: Subscription<T>,
): (message: JsMsg) => Promise<void> {
  const { durable, type } = subscription;
  /** Ids of events that were handled ahead, and whose messages are still to be delivered. */
  let ahead_ids = new Set<string>();
  let ahead_through_seq = 0;
  /** Up to here, each event is handled alone if handling them together has failed. */
  let alone_through_seq = 0;

  /** Handles `first` and what follows `after_seq`; returns false if nothing was applied. */
  async function handleTogether(first: LedgerEvent<T>[], after_seq: number, following: number): Promise<boolean> {
    try {
      const events_max = Math.min(following, READ_AHEAD_MAX_EVENTS);
      const { events, through_seq } = await readAhead(parts.bus, type, after_seq, events_max);
      alone_through_seq = through_seq;
      await applyOnce(parts, subscription, [...first, ...events]);
      ahead_through_seq = through_seq;
      for (const { id } of events) ahead_ids.add(id);
      return true;
    } catch (error) {
      // The event that failed fails again when it is handled alone, and is retried then.
      parts.log.warn('subscriber: events cannot be handled together, each is handled alone', {
        durable,
        ...faultOf(error),
      });
      return false;
    }
  }

  return async (message) => {
    const event = eventIn<T>(message);
    if (event === undefined) {
      // Not from an outbox. Without term(), it would be delivered again and block the events that follow.
      parts.log.error('subscriber: not an event, dropped', { durable, subject: message.subject });
      message.term();
      return;
    }
    const { pending } = message.info;
    if (ahead_ids.delete(event.id)) {
      const following = pending - ahead_ids.size;
      if (following > 0 && alone_through_seq <= ahead_through_seq)
        await handleTogether([], ahead_through_seq, following);
      // If this acknowledgement is lost, the event is delivered again, and the inbox has it.
      message.ack();
      return;
    }
    // The events that were handled ahead were delivered to another node.
    ahead_ids = new Set();
    const mayReadAhead = pending > 0 && message.seq > alone_through_seq;
    if (mayReadAhead && (await handleTogether([event], message.seq, pending))) await message.ackAck();
    else await handleAlone(parts, subscription, message, event);
  };
}

async function handleAlone<T extends EventType>(
  parts: SubscriberParts,
  subscription: Subscription<T>,
  message: JsMsg,
  event: LedgerEvent<T>,
): Promise<void> {
  try {
    await applyOnce(parts, subscription, [event]);
  } catch (error) {
    const { durable } = subscription;
    const deliveries = message.info.deliveryCount;
    const failure = { durable, event_id: event.id, deliveries, ...faultOf(error) };
    parts.log.warn('subscriber: event failed', failure);
    const wait_ms = (parts.backoff_ms ?? BACKOFF_MS)[deliveries - 1];
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

/** Applies the events that the inbox does not know, in one transaction. */
async function applyOnce<T extends EventType>(
  { db, clock }: SubscriberParts,
  subscription: Subscription<T>,
  events: LedgerEvent<T>[],
): Promise<void> {
  if (events.length === 0) return;
  await db.transaction(async (tx) => {
    const ids = events.map(({ id }) => id);
    const rows = await tx.rows<{ event_id: string }>(MARK_SEEN, [subscription.durable, ids, clock()]);
    const unseen = new Set(rows.map(({ event_id }) => event_id));
    for (const event of events) {
      if (unseen.delete(event.id)) await subscription.handle(event, tx);
    }
  });
}

/** Returns the ids of events that had not been seen. */
const MARK_SEEN = {
  name: 'inbox.mark_seen',
  // Ordered, so that two nodes with the same events wait in one order and not for each other.
  text: `
    INSERT INTO inbox (consumer, event_id, processed_at)
    SELECT $1, event_id, $3 FROM unnest($2::uuid[]) AS ids (event_id) ORDER BY event_id
    ON CONFLICT DO NOTHING RETURNING event_id`,
};

const STORE_DEAD_LETTER = `
  INSERT INTO dead_letters (consumer, event_id, subject, event, error, deliveries, dead_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`;
