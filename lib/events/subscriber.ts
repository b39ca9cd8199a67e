import { setTimeout as sleep } from 'node:timers/promises';
import { AckPolicy, DeliverPolicy, nanos } from 'nats';
import type { ConsumerMessages, JsMsg } from 'nats';
import { filterOf, STREAM } from '../contracts/events.ts';
import type { EventType } from '../contracts/events.ts';
import { faultOf } from '../node/log.ts';
import { ensureStream } from './bus.ts';
import type { Bus } from './bus.ts';
import type { Subscription } from './subscription.ts';
import { takerInOrder, takerOfOne } from './event-handling.ts';
import type { SubscriberParts } from './event-handling.ts';

/** Longer than any handler may take: an unanswered event comes again after this. */
const ACK_WAIT_MS = 30_000;

/** How long to wait before connecting again when the stream or the consumer went away. */
const RETRY_MS = 1_000;

/** A pull that stands this long without a word from the server is taken to be lost: the stream may have gone. */
const PULL_MS = 5_000;

/** One event after another, unless a subscription says otherwise: a later one never overtakes one that is tried again. */
const IN_ORDER = 1;

/** One request for so many events: the next one comes with the acknowledgement of the one before. */
const PULL_MAX_EVENTS = 100;

export interface Subscriber {
  stop(): Promise<void>;
}

/**
 * Follows one type of event: each takes effect once, in order, unless `in_flight_max` is above one; one that keeps
 * failing ends in `dead_letters`.
 */
export function startSubscriber<T extends EventType>(
  parts: SubscriberParts,
  subscription: Subscription<T>,
): Subscriber {
  const in_flight_max = subscription.in_flight_max ?? IN_ORDER;
  const takerOf = in_flight_max === IN_ORDER ? takerInOrder : takerOfOne;
  let stopping = false;
  let messages: ConsumerMessages | undefined;

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        messages = await follow(parts.bus, subscription);
        // A stop that came while the consumer was being made found nothing to close.
        if (stopping) void messages.close();
        const takeOne = takerOf(parts, subscription);
        await takeEach(messages, in_flight_max, async (message) => {
          await takeOne(message);
          return !stopping;
        });
      } catch (error) {
        if (stopping) return;
        parts.log.error('subscriber: events wait in the stream', {
          durable: subscription.durable,
          ...faultOf(error),
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
  await ensureStream(bus);
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
