import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import type pg from 'pg';
import type { Clock } from '../runtime/runtime.ts';
import type { Bus } from './bus.ts';
import { publishInOrder } from './publish.ts';
import type { OutboxRow } from './publish.ts';

/** One relay at a time in each service's database, so that order is kept; the number is arbitrary. */
const RELAY_LOCK = 7_206_310_456;

/** Bounds the memory of a relay that catches up after an outage. */
const BATCH_MAX_EVENTS = 500;

/** Events of other nodes are found this fast; events of this process wake the relay at once. */
const POLL_MS = 100;

/**
 * The relay reads at most so often, and events come together between: reading and marking costs the same for one as for
 * many. One that comes alone is read at once. With 10, contributions one at a time took 2.15 times the CPU of their floor
 * instead of 2.0.
 */
const GATHER_MS = 15;

/** How long a node waits before it tries to become the relay, or to recover from a fault. */
const RETRY_MS = 1_000;

export interface Relay {
  /** Says that events have been committed. */
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Relays a service's outbox to JetStream: at least once, in order for each association. The outbox stays as it is but
 * for `published_at`, set after the stream's acknowledgement.
 */
export function startRelay(pool: pg.Pool, bus: Bus, clock: Clock, log: Logger): Relay {
  let stopping = false;
  let woken = false;
  let ring: (() => void) | undefined;
  const wake = () => {
    woken = true;
    ring?.();
  };
  const idle = async (ms: number) => {
    if (woken || stopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      ring = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  };

  /** However often it is woken: whoever does not lead has nothing to do with events. A stop ends it. */
  const sleepThroughWakes = async (ms: number) => {
    let left_ms = ms;
    do {
      woken = false;
      const began_ms = performance.now();
      await idle(left_ms);
      left_ms -= performance.now() - began_ms;
    } while (left_ms > 0 && !stopping);
  };

  async function lead(client: pg.PoolClient): Promise<void> {
    let published: OutboxRow[] = [];
    while (!stopping) {
      woken = false;
      const began_ms = performance.now();
      // In one round trip; of one connection the second sees what the first has marked.
      const [, rows] = await Promise.all([markPublished(client, published, clock()), nextBatch(client)]);
      await publishInOrder(bus, rows);
      published = rows;
      if (rows.length === BATCH_MAX_EVENTS) continue;
      if (rows.length === 0) await idle(POLL_MS);
      const left_ms = GATHER_MS - (performance.now() - began_ms);
      if (left_ms > 0 && !stopping) await sleep(left_ms);
    }
    await markPublished(client, published, clock());
  }

  async function run(): Promise<void> {
    while (!stopping) {
      let client: pg.PoolClient | undefined;
      try {
        client = await pool.connect();
        // A connection lost between two statements fails the next one; without a listener it would end the process.
        client.on('error', () => undefined);
        if (await tryLock(client)) await lead(client);
        else await sleepThroughWakes(RETRY_MS);
      } catch (error) {
        if (!stopping) {
          log.error('relay: events wait in the outbox', { message: (error as Error).message });
          await sleepThroughWakes(RETRY_MS);
        }
      } finally {
        // Ending the session frees the lock, whatever state it is in.
        client?.release(true);
      }
    }
  }

  const running = run();
  return {
    wake,
    stop: async () => {
      stopping = true;
      ring?.();
      await running;
    },
  };
}

async function tryLock(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [RELAY_LOCK]);
  return rows[0]?.locked === true;
}

async function nextBatch(client: pg.PoolClient): Promise<OutboxRow[]> {
  // Planned each time: a plan from when the table was empty may go by the primary key, over all that was ever published.
  const { rows } = await client.query<OutboxRow>(
    `SELECT position, event_id, association_id, type, event::text AS event
     FROM outbox WHERE published_at IS NULL ORDER BY position LIMIT $1`,
    [BATCH_MAX_EVENTS],
  );
  return rows;
}

async function markPublished(client: pg.PoolClient, rows: OutboxRow[], now: Date): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'outbox.published',
    text: 'UPDATE outbox SET published_at = $1 WHERE position = ANY($2::bigint[])',
    values: [now, rows.map((row) => row.position.toString())],
  });
}
