import { connect } from 'nats';
import pg from 'pg';
import { natsConnectOptions } from '../../lib/config/server-urls.ts';
import { subjectOf } from '../../lib/contracts/events.ts';
import type { EventType } from '../../lib/contracts/events.ts';

/** Takes events from outboxes to JetStream, in order and at least once, as anyone would write it. */
export interface PlainRelay {
  /** Begins; the function that it gives ends it once the outboxes are empty. */
  start(): () => Promise<void>;
  close(): Promise<void>;
}

/** At most so many events are read at once. */
const BATCH_MAX_EVENTS = 500;
/** How long an empty outbox is left alone: seldom enough for the question not to count, and large batches. */
const POLL_MS = 100;

interface Row {
  position: string;
  event_id: string;
  association_id: string | null;
  type: EventType;
  event: string;
}

const NEXT = {
  name: 'next_events',
  text: `SELECT position::text, event_id, association_id, type, event::text FROM outbox WHERE published_at IS NULL
         ORDER BY position LIMIT $1`,
};

const MARK = {
  name: 'mark_published',
  text: 'UPDATE outbox SET published_at = $1 WHERE position = ANY($2::bigint[])',
};

/** Connects to the outboxes of several databases. The stream exists. */
export async function openPlainRelay(natsUrl: string, databases: readonly string[]): Promise<PlainRelay> {
  const connection = await connect(natsConnectOptions(natsUrl));
  const jetstream = connection.jetstream();
  const pools = databases.map((connectionString) => new pg.Pool({ connectionString, max: 1 }));

  async function publishBatch(pool: pg.Pool): Promise<number> {
    const { rows } = await pool.query<Row>(NEXT, [BATCH_MAX_EVENTS]);
    for (const { event_id, association_id, type, event } of rows) {
      await jetstream.publish(subjectOf(association_id, type), event, { msgID: event_id });
    }
    if (rows.length > 0) await pool.query(MARK, [new Date(), rows.map((row) => row.position)]);
    return rows.length;
  }

  return {
    start() {
      let ending = false;
      const running = pools.map(async (pool) => {
        for (;;) {
          const last = ending;
          const published = await publishBatch(pool);
          if (published > 0) continue;
          if (last) return;
          await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        }
      });
      return async () => {
        ending = true;
        await Promise.all(running);
      };
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.end()));
      await connection.close();
    },
  };
}
