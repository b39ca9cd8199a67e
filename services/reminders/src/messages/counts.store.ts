/** The SQL of the table `message_counts`, by which all processes together keep the limits of messages. */
import type { Sql, SqlTransaction } from '@association-service/contracts/subscriber';
import { LONGEST_WINDOW_MS, type Limit } from './limits.rules.ts';

/** A limit that is reached, and when there is room again. */
export interface Reached extends Pick<Limit, 'beyond'> {
  until: Date;
}

/**
 * Counts a message that is about to be sent. Its next attempt does not count again.
 * @param limits in the same order for all messages, so that two of them cannot wait for each other
 * @returns the limit that does not permit it, in which case it is not counted; undefined if it can be sent
 */
export async function countMessage(
  tx: SqlTransaction,
  message_id: string,
  limits: readonly Limit[],
  now: Date,
): Promise<Reached | undefined> {
  for (const { counted_as, max, window_ms, beyond } of limits) {
    await tx.run(LOCK, [counted_as]);
    const since = new Date(now.getTime() - window_ms);
    const last = await tx.first<{ counted_at: Date }>(LAST_WITHIN, [counted_as, since, message_id, max]);
    if (last !== undefined) return { beyond, until: new Date(last.counted_at.getTime() + window_ms) };
  }
  for (const { counted_as } of limits) await tx.run(COUNT, [counted_as, message_id, now]);
  return undefined;
}

/** Messages that are counted together are counted one after another. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended(encode($1::bytea, 'hex'), 0))`;

/** The message that must be older than the window before another one is sent: the last of the most recent ones that are allowed. */
const LAST_WITHIN = `
  SELECT counted_at FROM message_counts WHERE counted_as = $1 AND counted_at > $2 AND message_id <> $3
  ORDER BY counted_at DESC OFFSET $4 - 1 LIMIT 1`;

const COUNT = `
  INSERT INTO message_counts (counted_as, message_id, counted_at) VALUES ($1, $2, $3)
  ON CONFLICT (counted_as, message_id) DO UPDATE SET counted_at = excluded.counted_at`;

/** Deletes what no longer counts. */
export async function pruneCounts(db: Sql, now: Date): Promise<void> {
  await db.run('DELETE FROM message_counts WHERE counted_at <= $1', [new Date(now.getTime() - LONGEST_WINDOW_MS)]);
}
