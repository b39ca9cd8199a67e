import { STREAM, type EventType, type LedgerEvent } from '../contracts/events.ts';
import type { Clock } from '../node/runtime.ts';
import { consumerLag, eventDelay, failedEvents, pendingMessages } from '../telemetry/metrics.ts';
import { beforeScrape } from '../telemetry/scrape.ts';
import type { Bus } from './bus.ts';
import { readAhead } from './read-ahead.ts';

/** Measures one subscription. */
export interface SubscriberMeter {
  handled(event: LedgerEvent): void;
  failed(): void;
  stop(): void;
}

/** Measures the deliveries of a subscription and, at each scrape, how far it is behind the stream. */
export function measureSubscriber(
  bus: Bus,
  { durable, type }: { durable: string; type: EventType },
  clock: Clock,
): SubscriberMeter {
  const label = { messaging_consumer_group_name: durable };
  const delays = eventDelay.labels(durable);
  // Counters begin with 0, or the first failure would not be seen as an increase.
  failedEvents.inc(label, 0);
  eventDelay.zero(label);
  const age_s = (event: LedgerEvent) => Math.max(0, clock().getTime() - Date.parse(event.time)) / 1_000;
  const stop = beforeScrape('subscriptions', async () => {
    const { num_pending, num_ack_pending, ack_floor } = await bus.manager.consumers.info(STREAM, durable);
    const behind = num_pending + num_ack_pending;
    pendingMessages.set(label, behind);
    const [oldest] = behind === 0 ? [] : (await readAhead(bus, type, ack_floor.stream_seq, 1)).events;
    consumerLag.set(label, oldest === undefined ? 0 : age_s(oldest));
  });
  return {
    handled: (event) => delays.observe(age_s(event)),
    failed: () => failedEvents.inc(label),
    stop() {
      stop();
      pendingMessages.remove(label);
      consumerLag.remove(label);
    },
  };
}
