import type { Logger, Service } from 'moleculer';
import type { TableService } from '../config/service-names.ts';
import { StartupError } from '../config/startup-error.ts';
import { CONSUMERS, KEEPER, type Durable, type LedgerEvent } from '../contracts/events.ts';
import { cursorKeys } from '../db/service-tables.ts';
import type { Pool, Transaction } from '../db/db.ts';
import { openDatabase, type Database, type DatabaseDefinition } from '../db/database.ts';
import { keepStream, openBus, type StreamBus } from '../events/stream.ts';
import { measureDeadLetters } from '../events/dead-letters.ts';
import { watchDelayedEvents, type DelayedEvents } from '../events/delayed-events.ts';
import { Outbox } from '../events/outbox.ts';
import { measureOutbox } from '../events/outbox-metrics.ts';
import { startRelay, type Relay } from '../events/outbox-relay.ts';
import { startSubscriber } from '../events/subscriber.ts';
import type { Subscription } from '../events/handle-events.ts';
import { batchClaims, purgeKeys, type InsertClaim } from '../idempotency/claims.ts';
import { signedCursors, type Cursors } from '../paging/cursors.ts';
import { databaseOf } from '../node/resources.ts';
import type { Runtime } from '../node/runtime.ts';
import type { CanCall } from './call.ts';
import { callerCheck, checkCallers } from './check-caller.ts';
import { lostEvents } from '../telemetry/metrics.ts';
import { runInTurn, startJob, type RecurringJob } from './recurring-job.ts';
import { followAvailability } from './registration.ts';
import { followClock } from './test-clock.ts';

/** Rarely, as expired keys only take space. */
const PURGE_KEYS_EVERY_MS = 60_000;

/** The dependencies of the actions, sagas and subscriptions of a service with tables. */
export interface ServiceContext {
  readonly service: TableService;
  readonly runtime: Runtime;
  readonly db: Database;
  /** For actions that only read. */
  readonly reads: Pool;
  readonly outbox: Outbox;
  readonly cursors: Cursors;
  readonly insertClaim: InsertClaim;
  /** Whether events have waited too long to be published. */
  hasDelayedEvents: () => boolean;
  /** Runs the jobs that do what is due at a time. Only a test clock calls it. */
  runDueJobs: () => Promise<void>;
  /**
   * Starts the outbox relay, the subscriptions and the jobs.
   * @throws StartupError if the database has been lost since it was opened
   */
  start: (service: Service, parts?: BackgroundParts) => void;
  stop: () => Promise<void>;
}

export interface BackgroundParts {
  subscriptions?: Subscription[];
  jobs?: RecurringJob[];
  /** Unfinished ones are recovered, and measured. */
  sagas?: Recoverable[];
}

/** What the context needs of a saga. */
interface Recoverable {
  recovery(via: CanCall, log: Logger): RecurringJob;
  measure(): () => void;
}

/** A subscription with a declared consumer. */
interface DeclaredSubscription<D extends Durable> {
  durable: D;
  /** Gets the events of the consumer's type, and a transaction of the service's database. */
  handle: (event: LedgerEvent<(typeof CONSUMERS)[D]>, tx: Transaction) => void | Promise<void>;
}

/** Makes the subscription of a declared consumer. */
export function subscription<D extends Durable>({ durable, handle }: DeclaredSubscription<D>): Subscription {
  return { durable, type: CONSUMERS[durable], handle };
}

/**
 * Migrates a service's database, and connects to it and to JetStream.
 * @throws StartupError with a message of one line if either cannot be reached
 */
export async function openService(
  runtime: Runtime,
  service: TableService,
  definition: DatabaseDefinition,
): Promise<ServiceContext> {
  const db = await openDatabase(databaseOf(runtime.resources, service), definition, runtime.probeTimings);
  let bus: StreamBus | undefined;
  try {
    const stream = service === KEEPER ? runtime.settings.eventStream : {};
    bus = await openBus(runtime.resources.natsUrl, service, stream);
    const [stored] = await db.orm.find(cursorKeys);
    if (stored === undefined) throw new Error(`${service}: cursor_keys is empty; createServiceTables() fills it`);
    return contextOf(runtime, service, db, bus, signedCursors(stored.key));
  } catch (error) {
    await bus?.close();
    await db.close();
    throw error;
  }
}

function contextOf(
  runtime: Runtime,
  service: TableService,
  db: Database,
  bus: StreamBus,
  cursors: Cursors,
): ServiceContext {
  const { clock, systemClock, testClock, newId, settings, resources } = runtime;
  const keys = resources.secrets.callerKeys(service);
  const callers = callerCheck({
    service,
    keys,
    isRequired: settings.callerStatements === 'required',
    clock: systemClock,
  });
  const outbox = new Outbox(service, clock, newId);
  let relay: Relay | undefined;
  let delayed: DelayedEvents | undefined;
  let background: { stop(): Promise<void> }[] = [];
  let unmeasure: (() => void)[] = [];
  let due: RecurringJob[] = [];
  return {
    service,
    runtime,
    db,
    reads: db.reads,
    outbox,
    cursors,
    insertClaim: batchClaims(db.batches, db),
    hasDelayedEvents: () => delayed?.hasAny() === true,
    runDueJobs: () => runInTurn(due),
    start(running, { subscriptions = [], jobs = [], sagas = [] } = {}) {
      const { broker, logger: log } = running;
      checkCallers(running, callers);
      const lost = db.availability.fault();
      if (lost !== undefined) throw new StartupError(`${service}: the database cannot be used: ${lost.message}`);
      db.availability.onChange((fault) => followAvailability(running, fault));
      const relayParts = { db, bus, outbox: service, clock, log };
      relay = startRelay(relayParts);
      outbox.onCommit(() => relay?.notify());
      delayed = watchDelayedEvents(relayParts);
      due = jobs.filter(({ followsClock }) => followsClock === true);
      const own: RecurringJob[] = [
        { name: 'idempotency keys', every_ms: PURGE_KEYS_EVERY_MS, run: () => purgeKeys(db, clock()) },
        delayed,
        ...sagas.map((saga) => saga.recovery(broker, log)),
        ...(service === KEEPER ? [keepStream(bus)] : []),
        ...(testClock === undefined ? [] : [followClock(testClock, broker)]),
      ];
      background = [
        ...subscriptions.map((each) => startSubscriber({ bus, db, clock, log }, each)),
        ...[...jobs, ...own].map((each) => startJob(each, log)),
      ];
      // Present before the first loss, from which increase() in Prometheus would otherwise count.
      lostEvents.inc({ outbox: service }, 0);
      const durables = subscriptions.map(({ durable }) => durable);
      unmeasure = [
        measureOutbox(db, service, clock),
        measureDeadLetters(db, durables),
        ...sagas.map((saga) => saga.measure()),
      ];
    },
    async stop() {
      for (const end of unmeasure) end();
      // The relay stops last, so that it publishes the events of the others.
      await Promise.all(background.map((part) => part.stop()));
      await relay?.stop();
      await bus.close();
      await db.close();
    },
  };
}
