import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { subjectOf, type LedgerEvent } from '../contracts/events.ts';
import type { Subscription } from '../events/handle-events.ts';
import type { Subscriptions } from '../events/subscriptions.ts';
import { openBus } from '../events/stream.ts';
import { findNatsServer } from './nats-binary.ts';
import { startNatsServer } from './nats-server.ts';
import { startPostgres } from './postgres.ts';
import { withDatabase } from '../config/server-urls.ts';

/** Where a downloaded nats-server is kept for later runs, from the root of the tested service. */
const CACHE = join('node_modules', '.cache', 'association-service');

/** Far longer than any handler takes, with its repeats after failures. */
const HANDLED_WITHIN_MS = 120_000;
const POLL_MS = 20;

/** A PostgreSQL and a NATS server with the event stream, for the tests of a service. */
export interface TestServers {
  /** Has the form of NATS_URL, with credentials. */
  natsUrl: string;
  /** Creates an empty database; returns its URL. */
  createDatabase(): Promise<string>;
  /** Adds events to the stream, in this order. A repeated one is added again, as after a lost answer of the stream. */
  publish(...events: LedgerEvent[]): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the servers on free ports, with their data in a temporary folder.
 * @throws StartupError if one of them does not start, or its program is not installed
 */
export async function startTestServers(): Promise<TestServers> {
  const dataDir = await mkdtemp(join(tmpdir(), 'association-service-'));
  const print = (line: string) => void process.stderr.write(`${line}\n`);
  const options = { dataDir, password: randomUUID(), onCrash: print };
  const cache = resolve(CACHE);
  await mkdir(cache, { recursive: true });
  const nats = await startNatsServer(await findNatsServer(print, cache), options);
  const postgres = await startPostgres(options);
  const bus = await openBus(nats.url, 'test');
  let databases = 0;
  return {
    natsUrl: nats.url,
    async createDatabase() {
      const name = `test_${String((databases += 1))}`;
      const admin = new pg.Client({ connectionString: postgres.url });
      await admin.connect();
      await admin.query(`CREATE DATABASE ${name}`);
      await admin.end();
      return withDatabase(postgres.url, name);
    },
    async publish(...events) {
      for (const event of events) {
        const subject = subjectOf(event.subject ?? null, event.type);
        await bus.jetstream.publish(subject, JSON.stringify(event));
      }
    },
    async stop() {
      await bus.close();
      await Promise.all([nats.stop(), postgres.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Waits until a subscription has handled every event in the stream, or has stored it as a dead letter.
 * @throws Error if that takes two minutes
 */
export async function untilHandled(
  subscriptions: Subscriptions,
  subscription: Pick<Subscription, 'durable' | 'type'>,
): Promise<void> {
  for (const end_ms = performance.now() + HANDLED_WITHIN_MS; performance.now() < end_ms; await delay(POLL_MS)) {
    // A consumer that does not exist yet has handled nothing.
    const lag = await subscriptions.lag(subscription).catch(() => undefined);
    if (lag?.events === 0) return;
  }
  throw new Error(`${subscription.durable} has not handled every event: see the log`);
}
