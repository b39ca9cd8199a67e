import type pg from 'pg';
import '../persistence/pg-types.ts';
import { ensureStream } from './bus.ts';
import type { Bus } from './bus.ts';
import { publishInOrder } from './publish.ts';
import type { OutboxRow } from './publish.ts';

/** Bounds the memory of a replay of millions of events. */
const BATCH_MAX_EVENTS = 1_000;

/**
 * Publishes a service's outbox again, from the first event at or after `since`: to rebuild a stream that was lost, or
 * lost its end. The outbox is only read. What the stream still remembers (its duplicate window) it drops.
 * @returns how many events were published
 */
export async function republish(pool: pg.Pool, bus: Bus, since: Date): Promise<number> {
  await ensureStream(bus);
  let published = 0;
  let after = await positionBefore(pool, since);
  for (;;) {
    const { rows } = await pool.query<OutboxRow>(
      `SELECT position, event_id, association_id, type, event::text AS event
       FROM outbox WHERE position > $1 AND published_at IS NOT NULL ORDER BY position LIMIT $2`,
      [after.toString(), BATCH_MAX_EVENTS],
    );
    const last = rows.at(-1);
    if (last === undefined) return published;
    await publishInOrder(bus, rows, { check: () => undefined });
    published += rows.length;
    after = last.position;
  }
}

/** The position just before the first event whose time is `since` or later. */
async function positionBefore(pool: pg.Pool, since: Date): Promise<bigint> {
  const { rows } = await pool.query<{ position: bigint | null }>(
    `SELECT min(position) - 1 AS position FROM outbox WHERE (event ->> 'time')::timestamptz >= $1`,
    [since],
  );
  return rows[0]?.position ?? BigInt(Number.MAX_SAFE_INTEGER);
}
