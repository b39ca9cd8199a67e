import type { Logger } from 'moleculer';
import type { JsMsg } from 'nats';
import type { EventType, LedgerEvent } from '../contracts/events.ts';
import type { Pool } from '../db/db.ts';
import { faultOf } from '../node/log.ts';
import type { Clock } from '../node/runtime.ts';
import type { Bus } from './bus.ts';
import { markSeen, storeDeadLetter } from './inbox.ts';
import { eventIn, readAhead } from './read-ahead.ts';
import type { Subscription } from './subscription.ts';

/** Waits between the deliveries of an event whose handler fails; after the last it is dead-lettered. */
const BACKOFF_MS = [100, 500, 2_000, 5_000, 10_000, 20_000, 30_000];

/** What is handled with an event, in its transaction: enough that the flush costs little, few enough to do twice. */
const READ_AHEAD_MAX_EVENTS = 32;

/** What taking an event needs. */
export interface SubscriberParts {
  bus: Bus;
  db: Pick<Pool, 'transaction'>;
  clock: Clock;
  log: Logger;
  /** Waits between deliveries; tests shorten them. */
  backoff_ms?: readonly number[];
}

/** Takes one message: applies its event, and says so to the server. */
export type Taker = (message: JsMsg) => Promise<void>;

/** For a subscription that may handle several at once: each alone. */
export function takerOfOne<T extends EventType>(parts: SubscriberParts, subscription: Subscription<T>): Taker {
  return async (message) => {
    const event = eventIn<T>(message);
    if (event === undefined) drop(parts, subscription, message);
    else await takeAlone(parts, subscription, message, event);
  };
}

/**
 * Takes with an event those that follow it in the stream, in one transaction: while it is unacknowledged no other node
 * gets any. Each of them still comes by itself, has been seen then, and is a moment to take what has come since. For one
 * consumption: the places that it remembers are those of the stream that there was when it began.
 */
export function takerInOrder<T extends EventType>(parts: SubscriberParts, subscription: Subscription<T>): Taker {
  /** The ids of those that were taken ahead and have not come yet. */
  let taken = new Set<string>();
  let taken_through_seq = 0;
  let alone_through_seq = 0;

  /** Takes `first` and what follows `after_seq`; false if nothing was applied. */
  async function takeTogether(first: LedgerEvent<T>[], after_seq: number, following: number): Promise<boolean> {
    try {
      const events_max = Math.min(following, READ_AHEAD_MAX_EVENTS);
      const ahead = await readAhead(parts.bus, subscription.type, after_seq, events_max);
      alone_through_seq = ahead.through_seq;
      await applyInOrder(parts, subscription, [...first, ...ahead.events]);
      taken_through_seq = ahead.through_seq;
      for (const { id } of ahead.events) taken.add(id);
      return true;
    } catch (error) {
      // Whichever it was fails again when its turn comes, and is given its time then.
      parts.log.warn('subscriber: events cannot be taken together, each goes alone', {
        durable: subscription.durable,
        ...faultOf(error),
      });
      return false;
    }
  }

  return async (message) => {
    const event = eventIn<T>(message);
    if (event === undefined) return drop(parts, subscription, message);
    if (taken.delete(event.id)) {
      const following = message.info.pending - taken.size;
      if (following > 0 && alone_through_seq <= taken_through_seq) await takeTogether([], taken_through_seq, following);
      // Should this acknowledgement be lost, it comes once more, and has been seen.
      return message.ack();
    }
    // What had been taken has come to another node.
    taken = new Set();
    const { pending } = message.info;
    if (pending > 0 && message.seq > alone_through_seq && (await takeTogether([event], message.seq, pending))) {
      await message.ackAck();
    } else {
      await takeAlone(parts, subscription, message, event);
    }
  };
}

/** Nothing of ours: outboxes hold only events. Brought again for ever, it would keep out all that follow. */
function drop(parts: SubscriberParts, { durable }: Pick<Subscription, 'durable'>, message: JsMsg): void {
  parts.log.error('subscriber: not an event, dropped', { durable, subject: message.subject });
  message.term();
}

async function takeAlone<T extends EventType>(
  parts: SubscriberParts,
  subscription: Subscription<T>,
  message: JsMsg,
  event: LedgerEvent<T>,
): Promise<void> {
  try {
    await applyInOrder(parts, subscription, [event]);
  } catch (error) {
    await retryLater(parts, subscription.durable, message, event, error as Error);
    return;
  }
  await message.ackAck();
}

/** Applies those that have not been seen, in one transaction. */
async function applyInOrder<T extends EventType>(
  parts: SubscriberParts,
  subscription: Subscription<T>,
  events: LedgerEvent<T>[],
): Promise<void> {
  if (events.length === 0) return;
  await parts.db.transaction(async (tx) => {
    const ids = events.map(({ id }) => id);
    const unseen = await markSeen(tx, subscription.durable, ids, parts.clock());
    for (const event of events) {
      if (unseen.delete(event.id)) await subscription.handle(event, tx);
    }
  });
}

/** Gives the event back for later, or, after the last delivery, writes it to `dead_letters` before acknowledging it. */
async function retryLater(
  parts: SubscriberParts,
  durable: string,
  message: JsMsg,
  event: LedgerEvent,
  error: Error,
): Promise<void> {
  const deliveries = message.info.deliveryCount;
  const wait_ms = (parts.backoff_ms ?? BACKOFF_MS)[deliveries - 1];
  parts.log.warn('subscriber: event failed', { durable, event_id: event.id, deliveries, ...faultOf(error) });
  if (wait_ms !== undefined) {
    message.nak(wait_ms);
    return;
  }
  const { subject } = message;
  await parts.db.transaction((tx) =>
    storeDeadLetter(tx, {
      consumer: durable,
      subject,
      event,
      error: error.message,
      deliveries,
      dead_at: parts.clock(),
    }),
  );
  parts.log.error('subscriber: event dead-lettered', { durable, event_id: event.id, ...faultOf(error) });
  await message.ackAck();
}
