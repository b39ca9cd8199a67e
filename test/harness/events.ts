import { AckPolicy } from 'nats';
import pg from 'pg';
import { openBus, type StreamBus } from '../../lib/events/stream.ts';
import { Outbox } from '../../lib/events/outbox.ts';
import { startRelay, type Relay, type RelayParts } from '../../lib/events/outbox-relay.ts';
import { startSubscriber, type Subscriber } from '../../lib/events/subscriber.ts';
import { STREAM, type ALL_TYPES, type LedgerEvent } from '../../lib/contracts/events.ts';
import { openDatabase, type Database } from '../../lib/db/database.ts';
import type { Pool, Transaction } from '../../lib/db/db.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { openPool } from '../../lib/db/pool.ts';
import type { Log } from '../../lib/node/logger.ts';
import { governanceDatabase } from '../../services/governance/database.ts';
import { createTestDatabase, type TestDatabase } from './databases.ts';
import { eventually } from './eventually.ts';
import { quietLog, testClock, testIds } from './runtime.ts';
import { natsUrl } from './servers.ts';

/** Another relay takes over within 5 s; the rest is a margin for slow machines. */
const PUBLISHED_WITHIN_MS = 10_000;

/** A handler of the type of event that these tests use. */
export type HandleLeft = (event: LedgerEvent<'member.left'>, tx: Transaction) => void | Promise<void>;

/** A database with an outbox and an inbox, a connection to the stream, and relays and subscribers. */
export class EventsHarness {
  readonly test: TestDatabase;
  readonly db: Database;
  readonly bus: StreamBus;
  readonly newId = testIds();
  readonly outbox = new Outbox('membership', testClock, this.newId);
  readonly #name: string;
  /** Functions that stop relays, subscribers and pools; reset() calls the newest first. */
  #running: (() => Promise<void>)[] = [];

  /** Uses the database of governance; all services have the same outbox, inbox and dead letters. */
  static async start(name: string, url = natsUrl()): Promise<EventsHarness> {
    const test = await createTestDatabase('governance', (database) => migrate(database, governanceDatabase.migrations));
    const db = await openDatabase(test, { tables: [], migrations: [] });
    return new EventsHarness(name, test, db, await openBus(url, name));
  }

  private constructor(name: string, test: TestDatabase, db: Database, bus: StreamBus) {
    this.#name = name;
    this.test = test;
    this.db = db;
    this.bus = bus;
  }

  /** Starts a subscriber that tries an event three times with short pauses. */
  subscribe(
    durable: string,
    handle: HandleLeft,
    type: 'member.left' | typeof ALL_TYPES = 'member.left',
    log: Log = quietLog,
  ): Subscriber {
    const parts = { bus: this.bus, db: this.db, clock: testClock, log, backoff_ms: [10, 10] };
    const subscriber = startSubscriber(parts, { durable, type, handle });
    this.#running.push(() => subscriber.stop());
    return subscriber;
  }

  /** Opens a pool that simulates another process. */
  openDb(): Pool {
    const pool = new pg.Pool({ connectionString: this.test.url, max: 3, pipeline: true });
    this.#running.push(() => pool.end());
    return openPool(pool);
  }

  relayParts(more: Partial<RelayParts> = {}): RelayParts {
    return { db: this.openDb(), bus: this.bus, outbox: this.#name, clock: testClock, log: quietLog, ...more };
  }

  /** Starts a relay that simulates another process. */
  startRelay(more: Partial<RelayParts> = {}): Relay {
    const relay = startRelay(this.relayParts(more));
    this.#running.push(() => relay.stop());
    return relay;
  }

  /** Commits a member.left event for each member and association. */
  async commit(association_ids: string | readonly string[], ...member_ids: string[]): Promise<void> {
    await this.db.transaction((tx) => {
      for (const member_id of member_ids) {
        for (const association_id of [association_ids].flat()) {
          this.outbox.append(tx, { type: 'member.left', association_id, data: { member_id, user_id: 'u' } });
        }
      }
    });
  }

  /** Whether all events in the outbox, or all of an association, are published. */
  async areAllPublished(association_id?: string): Promise<boolean> {
    const unpublished = await this.db.run(
      'SELECT FROM outbox WHERE published_at IS NULL AND ($1::uuid IS NULL OR association_id = $1)',
      [association_id ?? null],
    );
    return unpublished === 0;
  }

  async untilAllPublished(association_id?: string): Promise<void> {
    await eventually(async () => {
      if (!(await this.areAllPublished(association_id))) throw new Error('events are not published');
    }, PUBLISHED_WITHIN_MS);
  }

  /** Returns the association's events in stream order, with duplicates. */
  async inStream(association_id: string): Promise<LedgerEvent<'member.left'>[]> {
    const events: LedgerEvent<'member.left'>[] = [];
    const { name, num_pending } = await this.bus.manager.consumers.add(STREAM, {
      filter_subject: `ledger.v1.${association_id}.>`,
      ack_policy: AckPolicy.None,
      mem_storage: true,
    });
    const consumer = await this.bus.jetstream.consumers.get(STREAM, name);
    // A relay may remove messages from the stream in the meantime, so the remaining number is read again.
    for (let left = num_pending; left > 0; { num_pending: left } = await consumer.info()) {
      const messages = await consumer.fetch({ max_messages: left, expires: 2_000 });
      for await (const message of messages) events.push(message.json());
    }
    await consumer.delete();
    return events;
  }

  /** Stops the subscribers and relays, and closes their pools. */
  async reset(): Promise<void> {
    for (const stop of this.#running.splice(0).toReversed()) await stop();
  }

  async stop(): Promise<void> {
    await this.reset();
    await this.bus.close();
    await this.db.close();
    await this.test.release();
  }
}
