import type { ALL_TYPES, AnyEvent, EventType, LedgerEvent } from '../contracts/events.ts';
import type { Sql, SqlPool, SqlTransaction } from '../db/sql.ts';
import type { Clock } from '../node/clock.ts';
import type { Log } from '../node/logger.ts';
import { connectBus } from './bus.ts';
import { measureDeadLetters } from './dead-letters.ts';
import type { Subscription } from './handle-events.ts';
import { startSubscriber } from './subscriber.ts';
import { readLag, type SubscriberLag } from './subscriber-metrics.ts';

/** What the subscriptions of a service need. */
export interface SubscriptionParts {
  /** Has the form of NATS_URL, with credentials. */
  natsUrl: string;
  /** The service's name, for the server's list of connections. */
  name: string;
  /** The service's own database, with SUBSCRIBER_TABLES. */
  db: Sql & Pick<SqlPool, 'transaction'>;
  log: Log;
  clock?: Clock;
  /** The waits between the deliveries of an event whose handler fails; tests shorten them. */
  backoff_ms?: readonly number[];
}

/** The running subscriptions of a service. */
export interface Subscriptions {
  /** Reads how far a subscription is behind the stream. */
  lag(subscription: Pick<Subscription, 'durable' | 'type'>): Promise<SubscriberLag>;
  /** Finishes the events that are being handled, and closes the connection. */
  stop(): Promise<void>;
}

/** Defines a subscription to one type of event, or to all (`*`). */
export function subscription<T extends EventType | typeof ALL_TYPES>(definition: {
  /** The consumer's name, which begins with the service's and never changes: another consumer gets every event again. */
  durable: string;
  type: T;
  /**
   * Applies the event in the transaction that marks it as handled, which may handle further events. If it throws, all of them
   * are rolled back, and each is delivered again and handled in a separate transaction.
   */
  handle: (event: T extends EventType ? LedgerEvent<T> : AnyEvent, tx: SqlTransaction) => void | Promise<void>;
}): Subscription {
  return definition;
}

/**
 * Connects to the event stream, and starts subscriptions. Each event takes effect once, in the stream's order, in any number
 * of processes; one that keeps failing is stored in `dead_letters`.
 * @throws StartupError with a message of one line if NATS is unavailable
 */
export async function startSubscriptions(
  { natsUrl, name, db, log, clock = () => new Date(), ...more }: SubscriptionParts,
  subscriptions: readonly Subscription[],
): Promise<Subscriptions> {
  const bus = await connectBus(natsUrl, name);
  const subscribers = subscriptions.map((each) => startSubscriber({ bus, db, clock, log, ...more }, each));
  const stopMeasuring = measureDeadLetters(
    db,
    subscriptions.map(({ durable }) => durable),
  );
  return {
    lag: (each) => readLag(bus, each, clock),
    async stop() {
      stopMeasuring();
      await Promise.all(subscribers.map((subscriber) => subscriber.stop()));
      await bus.close();
    },
  };
}
