import type { Service } from 'moleculer';
import type { EntityManager } from 'typeorm';
import type { TableService } from '../config/service-names.ts';
import { StartupError } from '../config/startup-error.ts';
import { gatherClaims, purgeKeys } from '../idempotency/claims.ts';
import type { InsertClaim } from '../idempotency/claims.ts';
import type { EventType } from '../contracts/events.ts';
import { watchDelayedEvents } from '../events/delayed-events.ts';
import type { DelayedEvents } from '../events/delayed-events.ts';
import { openBus } from '../events/bus.ts';
import type { Bus } from '../events/bus.ts';
import { Outbox } from '../events/outbox.ts';
import { startRelay } from '../events/relay.ts';
import type { Relay } from '../events/relay.ts';
import { startSubscriber } from '../events/subscriber.ts';
import type { Subscription } from '../events/subscription.ts';
import { signedCursors } from '../paging/cursors.ts';
import type { Cursors } from '../paging/cursors.ts';
import { openDatabase } from '../db/database.ts';
import type { Database, DatabaseDefinition } from '../db/database.ts';
import { databaseOf } from '../runtime/resources.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { followAvailability } from './registration.ts';
import { startSweeper } from '../saga/sweeper.ts';
import type { Sweep } from '../saga/sweeper.ts';

/** Expired keys do no harm; they only take room. */
const PURGE_KEYS_EVERY_MS = 60_000;

/** What a table-owning service stands on. Its parts that run by themselves start with start() and end with stop(). */
export interface Foundation {
  readonly runtime: Runtime;
  readonly db: Database;
  readonly outbox: Outbox;
  readonly cursors: Cursors;
  /** Stores claims of idempotency keys, those that come at the same time together. */
  readonly insertClaim: InsertClaim;
  /** Runs `work` in one transaction and, once it is committed, wakes the relay of the outbox. */
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T>;
  /** Tells the relay that events were committed by other means. */
  eventsCommitted(): void;
  /** Whether events have waited too long to be published. */
  hasDelayedEvents(): boolean;
  /** @throws StartupError if the database has been lost since it was opened */
  start(service: Service, parts: RunningParts): void;
  stop(): Promise<void>;
}

export interface RunningParts {
  subscriptions?: Subscription[];
  sweeps?: Sweep[];
}

/** Subscriptions of any event type side by side: what a handler takes is fixed where it is written. */
export function subscription<T extends EventType>(definition: Subscription<T>): Subscription {
  return definition;
}

/**
 * Connects a service to its database, brought up to date, and to JetStream.
 * @throws StartupError in one line if either is away
 */
export async function layFoundation(
  runtime: Runtime,
  service: TableService,
  definition: DatabaseDefinition,
): Promise<Foundation> {
  const db = await openDatabase(databaseOf(runtime.resources, service), definition);
  let bus: Bus | undefined;
  try {
    bus = await openBus(runtime.resources.natsUrl, service, runtime.settings.eventStream);
    const [stored]: { key: Buffer }[] = await db.manager.query('SELECT key FROM cursor_keys');
    if (stored === undefined) throw new Error(`${service}: cursor_keys is empty; createCommonTables() fills it`);
    return build(runtime, service, db, bus, signedCursors(stored.key));
  } catch (error) {
    await bus?.close();
    await db.close();
    throw error;
  }
}

function build(runtime: Runtime, service: TableService, db: Database, bus: Bus, cursors: Cursors): Foundation {
  let relay: Relay | undefined;
  let delayed: DelayedEvents | undefined;
  let parts: { stop(): Promise<void> }[] = [];
  const purging: Sweep = {
    name: 'idempotency keys',
    every_ms: PURGE_KEYS_EVERY_MS,
    sweep: () => purgeKeys(db.pool, runtime.clock()),
  };
  const transaction = async <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> => {
    const result = await db.transaction(work);
    relay?.wake();
    return result;
  };
  return {
    runtime,
    db,
    cursors,
    insertClaim: gatherClaims(db.batches, db.pool),
    outbox: new Outbox(service, runtime.clock, runtime.newId),
    transaction,
    eventsCommitted: () => relay?.wake(),
    hasDelayedEvents: () => delayed?.areThere() === true,
    start(running, { subscriptions = [], sweeps = [] }) {
      const log = running.logger;
      const lost = db.availability.fault();
      if (lost !== undefined) throw new StartupError(`${service}: the database cannot be used: ${lost.message}`);
      db.availability.onChange((fault) => followAvailability(running, fault));
      const relayed = { pool: db.pool, bus, outbox: service, clock: runtime.clock, log };
      relay = startRelay(relayed);
      delayed = watchDelayedEvents(relayed);
      parts = [
        ...subscriptions.map((each) => startSubscriber({ bus, transaction, clock: runtime.clock, log }, each)),
        ...[...sweeps, purging, delayed].map((each) => startSweeper(each, log)),
      ];
    },
    async stop() {
      // Whatever still writes events ends before the relay, so that it can send them.
      await Promise.all(parts.map((part) => part.stop()));
      await relay?.stop();
      await bus.close();
      await db.close();
    },
  };
}
