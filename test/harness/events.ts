import { AckPolicy } from 'nats';
import { openBus } from '../../lib/events/bus.ts';
import type { Bus } from '../../lib/events/bus.ts';
import { startSubscriber } from '../../lib/events/subscriber.ts';
import type { Subscriber } from '../../lib/events/subscriber.ts';
import { STREAM } from '../../lib/contracts/events.ts';
import type { LedgerEvent } from '../../lib/contracts/events.ts';
import { openDatabase } from '../../lib/db/database.ts';
import type { Database } from '../../lib/db/database.ts';
import type { Transaction } from '../../lib/db/db.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { governanceDatabase } from '../../services/governance/database.ts';
import { createTestDatabase } from './databases.ts';
import type { TestDatabase } from './databases.ts';
import { quietLog, testClock } from './runtime.ts';
import { natsUrl } from './servers.ts';

/** What a subscriber does with the type of event that these tests use. */
export type HandleLeft = (event: LedgerEvent<'member.left'>, tx: Transaction) => void | Promise<void>;

/** What events pass through: a database with an outbox and an inbox, the bus, and subscribers to a type of event. */
export class EventsBench {
  readonly test: TestDatabase;
  readonly db: Database;
  readonly bus: Bus;
  /** Those that follow now; a test that takes one out stops it. */
  readonly subscribers: Subscriber[] = [];

  /** Any service's database will do: all have the same outbox, inbox and dead letters. */
  static async start(name: string, url = natsUrl()): Promise<EventsBench> {
    const test = await createTestDatabase('governance', (database) => migrate(database, governanceDatabase.migrations));
    const db = await openDatabase(test, { tables: [], migrations: [] });
    return new EventsBench(test, db, await openBus(url, name));
  }

  private constructor(test: TestDatabase, db: Database, bus: Bus) {
    this.test = test;
    this.db = db;
    this.bus = bus;
  }

  /** Starts a subscriber that tries an event three times, with short waits. */
  follow(durable: string, handle: HandleLeft): void {
    const parts = { bus: this.bus, db: this.db, clock: testClock, log: quietLog, backoff_ms: [10, 10] };
    this.subscribers.push(startSubscriber(parts, { durable, type: 'member.left', handle }));
  }

  /** The association's events that the stream has, in its order, each as often as it is there. */
  async inStream(association_id: string): Promise<LedgerEvent<'member.left'>[]> {
    const events: LedgerEvent<'member.left'>[] = [];
    const { name, num_pending } = await this.bus.manager.consumers.add(STREAM, {
      filter_subject: `ledger.v1.${association_id}.>`,
      ack_policy: AckPolicy.None,
      mem_storage: true,
    });
    const consumer = await this.bus.jetstream.consumers.get(STREAM, name);
    // A relay may take messages out of the stream while they are read: how many are left is asked again.
    for (let left = num_pending; left > 0; { num_pending: left } = await consumer.info()) {
      const messages = await consumer.fetch({ max_messages: left, expires: 2_000 });
      for await (const message of messages) events.push(message.json());
    }
    await consumer.delete();
    return events;
  }

  async stopFollowing(): Promise<void> {
    await Promise.all(this.subscribers.splice(0).map((subscriber) => subscriber.stop()));
  }

  async stop(): Promise<void> {
    await this.bus.close();
    await this.db.close();
    await this.test.drop();
  }
}
