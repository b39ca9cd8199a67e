import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { AckPolicy, DeliverPolicy, nanos } from 'nats';
import type { ConsumerMessages, JsMsg } from 'nats';
import type { EntityManager } from 'typeorm';
import { filterOf, STREAM } from '../contracts/events.ts';
import type { EventType, LedgerEvent } from '../contracts/events.ts';
import type { Clock } from '../runtime/runtime.ts';
import { isId } from '../schema/rules.ts';
import { ensureStream } from './bus.ts';
import type { Bus } from './bus.ts';

/** Longer than any handler may take: an unanswered event comes again after this. */
const ACK_WAIT_MS = 30_000;

/** Waits between the deliveries of an event whose handler fails; after the last it is dead-lettered. */
const BACKOFF_MS = [100, 500, 2_000, 5_000, 10_000, 20_000, 30_000];

/** How long to wait before connecting again when the stream or the consumer went away. */
const RETRY_MS = 1_000;

/** A pull that stands this long without a word from the server is taken to be lost: the stream may have gone. */
const PULL_MS = 5_000;

/** One event after another, unless a subscription says otherwise: a later one never overtakes one that is tried again. */
const IN_ORDER = 1;

/** One request for so many events: the next one comes with the acknowledgement of the one before. */
const PULL_MAX_EVENTS = 100;

export interface Subscription<T extends EventType = EventType> {
  /** Names the subscriber for good: its place in the stream and its inbox rows are kept under it. */
  durable: string;
  type: T;
  /**
   * How many events may be handled at once, by all nodes together. More than one (the default) is faster, and for
   * effects that don't depend on the order of events: one may be handled before those that came first.
   */
  in_flight_max?: number;
  /** Applies the event in the transaction that also marks it as seen. Throwing brings it again, later. */
  handle(event: LedgerEvent<T>, manager: EntityManager): Promise<void>;
}

export interface Subscriber {
  stop(): Promise<void>;
}

interface SubscriberParts {
  bus: Bus;
  transaction<R>(work: (manager: EntityManager) => Promise<R>): Promise<R>;
  clock: Clock;
  log: Logger;
  /** Waits between deliveries; tests shorten them. */
  backoff_ms?: readonly number[];
}

/**
 * Follows one type of event: each takes effect once, in order, unless `in_flight_max` is above one; one that keeps
 * failing ends in `dead_letters`.
 */
export function startSubscriber<T extends EventType>(
  parts: SubscriberParts,
  subscription: Subscription<T>,
): Subscriber {
  let stopping = false;
  let messages: ConsumerMessages | undefined;

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        messages = await follow(parts.bus, subscription);
        // A stop that came while the consumer was being made found nothing to close.
        if (stopping) void messages.close();
        await takeEach(messages, subscription.in_flight_max ?? IN_ORDER, async (message) => {
          await take(parts, subscription, message);
          return !stopping;
        });
      } catch (error) {
        if (stopping) return;
        parts.log.error('subscriber: events wait in the stream', {
          durable: subscription.durable,
          message: (error as Error).message,
        });
      }
      if (!stopping) await sleep(RETRY_MS);
    }
  }

  const running = run();
  return {
    stop: async () => {
      stopping = true;
      // Not waited for: where the loop has left at a message, close() of this client never resolves. The loop's end counts.
      void messages?.close();
      await running;
    },
  };
}

async function follow<T extends EventType>(bus: Bus, subscription: Subscription<T>): Promise<ConsumerMessages> {
  await ensureStream(bus.manager);
  await bus.manager.consumers.add(STREAM, {
    durable_name: subscription.durable,
    filter_subject: filterOf(subscription.type),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: subscription.in_flight_max ?? IN_ORDER,
  });
  const consumer = await bus.jetstream.consumers.get(STREAM, subscription.durable);
  return consumer.consume({
    max_messages: PULL_MAX_EVENTS,
    expires: PULL_MS,
    abort_on_missing_resource: true,
  });
}

/** Takes messages, so many at once, until `takeOne` says that it was the last, or throws; waits for all that it began. */
async function takeEach(
  messages: ConsumerMessages,
  at_once: number,
  takeOne: (message: JsMsg) => Promise<boolean>,
): Promise<void> {
  const taking = new Set<Promise<void>>();
  let isLast = false;
  const failures: unknown[] = [];
  for await (const message of messages) {
    const taken: Promise<void> = takeOne(message)
      .then((goesOn) => void (isLast ||= !goesOn))
      .catch((error: unknown) => {
        failures.push(error);
        // What is still on its way comes again, in time.
        void messages.close();
      })
      .finally(() => taking.delete(taken));
    taking.add(taken);
    if (taking.size >= at_once) await Promise.race(taking);
    if (isLast || failures.length > 0) break;
  }
  await Promise.all(taking);
  if (failures.length > 0) throw failures[0];
}

async function take<T extends EventType>(
  parts: SubscriberParts,
  subscription: Subscription<T>,
  message: JsMsg,
): Promise<void> {
  const event = read<T>(message);
  if (event === undefined) {
    // Nothing of ours: outboxes hold only events. Brought again for ever, it would keep out all that follow.
    parts.log.error('subscriber: not an event, dropped', { durable: subscription.durable, subject: message.subject });
    message.term();
    return;
  }
  try {
    await parts.transaction(async (manager) => {
      if (await firstSight(manager, subscription.durable, event.id, parts.clock())) {
        await subscription.handle(event, manager);
      }
    });
  } catch (error) {
    await retryLater(parts, subscription.durable, message, event, error as Error);
    return;
  }
  await message.ackAck();
}

/** The event that the message carries; undefined if it carries none. */
function read<T extends EventType>(message: JsMsg): LedgerEvent<T> | undefined {
  try {
    const event = message.json<LedgerEvent<T> | null>();
    return isId(event?.id) ? (event ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

async function firstSight(manager: EntityManager, durable: string, eventId: string, now: Date): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO inbox (consumer, event_id, processed_at) VALUES ($1, $2, $3)
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [durable, eventId, now],
  );
  return rows.length > 0;
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
  parts.log.warn('subscriber: event failed', { durable, event_id: event.id, deliveries, message: error.message });
  if (wait_ms !== undefined) {
    message.nak(wait_ms);
    return;
  }
  await parts.transaction(async (manager) => {
    await manager.query(
      `INSERT INTO dead_letters (consumer, event_id, subject, event, error, deliveries, dead_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
      [durable, event.id, message.subject, JSON.stringify(event), error.message, deliveries, parts.clock()],
    );
  });
  parts.log.error('subscriber: event dead-lettered', { durable, event_id: event.id, message: error.message });
  await message.ackAck();
}
