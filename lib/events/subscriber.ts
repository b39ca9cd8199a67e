import { setTimeout as sleep } from 'node:timers/promises';
import { AckPolicy, DeliverPolicy, nanos, type ConsumerMessages } from 'nats';
import { filterOf, KEEPER, STREAM, type EventType } from '../contracts/events.ts';
import { faultOf } from '../errors/fault.ts';
import { ABANDONED_AFTER_MS, renewWhile } from '../node/takeover.ts';
import { hasCode, type Bus } from './bus.ts';
import { handleInOrder, type SubscriberParts, type Subscription } from './handle-events.ts';
import { NO_STREAM } from './stream.ts';
import { measureSubscriber } from './subscriber-metrics.ts';

/** The wait before a new attempt if the stream or the consumer no longer exists, or an acknowledgement has failed. */
const RETRY_MS = 1_000;

/**
 * How long a request for events lasts. Until its end, the server may deliver events to a process that is frozen, and waits for
 * their acknowledgement before another process gets them: 4.5 s in all. Without any answer for this long, the stream may no
 * longer exist.
 */
const PULL_MS = 1_500;

/** One event at a time across all nodes, so that no event overtakes one that is delivered again. */
const ACK_PENDING_MAX_EVENTS = 1;

/** A request asks for this many events. Each is sent as soon as the one before it is acknowledged. */
const PULL_MAX_EVENTS = 100;

/** JetStream's error code for a consumer that exists with another configuration; before 2.10, the server changes it. */
const CONSUMER_EXISTS = 10_148;

export interface Subscriber {
  stop(): Promise<void>;
}

/**
 * Subscribes to one type of event, or to all. Each event takes effect once, in the stream's order; one that keeps failing is stored
 * in `dead_letters`.
 */
export function startSubscriber<T extends EventType>(
  parts: SubscriberParts,
  subscription: Subscription<T>,
): Subscriber {
  const { durable } = subscription;
  const meter = measureSubscriber(parts.bus, subscription, parts.clock);
  let isStopping = false;
  let isWithoutStream = false;
  let messages: ConsumerMessages | undefined;

  async function handleMessages(): Promise<void> {
    messages = await consume(parts.bus, subscription);
    isWithoutStream = false;
    const handle = handleInOrder({ ...parts, meter }, subscription);
    // If stop() was called during the request above, it had no messages to close.
    if (isStopping) return;
    for await (const message of messages) {
      // A message without acknowledgement is delivered to another process.
      await renewWhile(
        () => message.working(),
        () => handle(message),
      );
      if (isStopping) return;
    }
  }

  async function run(): Promise<void> {
    while (!isStopping) {
      try {
        await handleMessages();
      } catch (error) {
        if (!isStopping) logFault(error);
      }
      closeMessages();
      if (!isStopping) await sleep(RETRY_MS);
    }
  }

  function logFault(error: unknown): void {
    const hadStream = !isWithoutStream;
    isWithoutStream = hasCode(error, [NO_STREAM]);
    if (!isWithoutStream) parts.log.error('subscriber: events wait in the stream', { durable, ...faultOf(error) });
    else if (hadStream) parts.log.warn(`subscriber: waits until ${KEEPER} has made the stream ${STREAM}`, { durable });
  }

  /** Does not wait: after the loop has ended at a message, the client's close() never resolves. */
  function closeMessages(): void {
    void messages?.close();
  }

  const running = run();
  return {
    stop: async () => {
      isStopping = true;
      closeMessages();
      await running;
      meter.stop();
    },
  };
}

async function consume<T extends EventType>(bus: Bus, subscription: Subscription<T>): Promise<ConsumerMessages> {
  await ensureConsumer(bus, subscription);
  const consumer = await bus.jetstream.consumers.get(STREAM, subscription.durable);
  return consumer.consume({
    max_messages: PULL_MAX_EVENTS,
    expires: PULL_MS,
    abort_on_missing_resource: true,
  });
}

/** Creates the consumer, or updates an existing one, which an earlier release may have created. */
async function ensureConsumer<T extends EventType>(bus: Bus, { durable, type }: Subscription<T>): Promise<void> {
  const config = {
    durable_name: durable,
    filter_subject: filterOf(type),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ABANDONED_AFTER_MS),
    max_ack_pending: ACK_PENDING_MAX_EVENTS,
  };
  try {
    await bus.manager.consumers.add(STREAM, config);
  } catch (error) {
    if (!hasCode(error, [CONSUMER_EXISTS])) throw error;
    await bus.manager.consumers.update(STREAM, durable, config);
  }
}
