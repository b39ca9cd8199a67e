import { STREAM, type LedgerEvent } from '../contracts/events.ts';
import type { Clock } from '../node/clock.ts';
import { consumerLag, eventDelay, failedEvents, pendingMessages } from '../telemetry/metrics.ts';
import { beforeScrape } from '../telemetry/scrape.ts';
import type { Bus } from './bus.ts';
import type { Subscription } from './handle-events.ts';
import { readAhead } from './read-ahead.ts';

/** Measures one subscription. */
export interface SubscriberMeter {
  handled(event: LedgerEvent): void;
  failed(): void;
  stop(): void;
}

/** How far a subscription is behind the stream. */
export interface SubscriberLag {
  /** Events that it has not handled yet. */
  events: number;
  /** The age of the oldest of them; 0 if there is none. */
  oldest_age_s: number;
}

/** Reads how far a subscription is behind the stream. */
export async function readLag(
  bus: Bus,
  { durable, type }: Pick<Subscription, 'durable' | 'type'>,
  clock: Clock,
): Promise<SubscriberLag> {
  const { num_pending, num_ack_pending, ack_floor } = await bus.manager.consumers.info(STREAM, durable);
  const events = num_pending + num_ack_pending;
  const [oldest] = events === 0 ? [] : (await readAhead(bus, type, ack_floor.stream_seq, 1)).events;
  return { events, oldest_age_s: oldest === undefined ? 0 : ageS(oldest, clock) };
}

function ageS({ time }: LedgerEvent, clock: Clock): number {
  return Math.max(0, clock().getTime() - Date.parse(time)) / 1_000;
}

/** Measures the deliveries of a subscription and, at each scrape, how far it is behind the stream. */
export function measureSubscriber(
  bus: Bus,
  subscription: Pick<Subscription, 'durable' | 'type'>,
  clock: Clock,
): SubscriberMeter {
  const { durable } = subscription;
  const label = { messaging_consumer_group_name: durable };
  const delays = eventDelay.labels(durable);
  // Counters begin with 0, or the first failure would not be seen as an increase.
  failedEvents.inc(label, 0);
  eventDelay.zero(label);
  const stop = beforeScrape('subscriptions', async () => {
    const { events, oldest_age_s } = await readLag(bus, subscription, clock);
    pendingMessages.set(label, events);
    consumerLag.set(label, oldest_age_s);
  });
  return {
    handled: (event) => delays.observe(ageS(event, clock)),
    failed: () => failedEvents.inc(label),
    stop() {
      stop();
      pendingMessages.remove(label);
      consumerLag.remove(label);
    },
  };
}
