import type { EventType, LedgerEvent } from '../contracts/events.ts';
import type { Sql, SqlPool } from '../db/sql.ts';
import type { Clock } from '../node/clock.ts';
import { deadLetterCount } from '../telemetry/metrics.ts';
import { beforeScrape } from '../telemetry/scrape.ts';
import { applyWithin, type Subscription } from './handle-events.ts';

/** An event whose handler kept failing. */
export interface DeadLetter {
  consumer: string;
  event_id: string;
  subject: string;
  event: LedgerEvent;
  /** The message of the last error. */
  error: string;
  deliveries: number;
  dead_at: Date;
}

/** Where a list continues: the last letter that was read. */
export type DeadLetterPosition = Pick<DeadLetter, 'event_id' | 'consumer'>;

const LIST = `
  SELECT * FROM dead_letters
  WHERE $1::uuid IS NULL OR (event_id, consumer) > ($1, $2) ORDER BY event_id, consumer LIMIT $3`;

/** Lists a service's dead letters, those of the oldest events first. */
export function listDeadLetters(db: Sql, after: DeadLetterPosition | null, limit: number): Promise<DeadLetter[]> {
  return db.rows(LIST, [after?.event_id ?? null, after?.consumer ?? null, limit]);
}

/** Finds the dead letters of an event: one for each subscription of the service that could not handle it. */
export function findDeadLetters(db: Sql, event_id: string): Promise<DeadLetter[]> {
  return db.rows('SELECT * FROM dead_letters WHERE event_id = $1 ORDER BY consumer', [event_id]);
}

/**
 * Handles a dead letter's event as its subscription does, and removes the letter in the same transaction. An event that has
 * been handled since then is only removed.
 * @returns false if another process has removed it
 * @throws the error of the handler; then nothing is changed
 */
export function retryDeadLetter<T extends EventType>(
  { db, clock }: { db: Pick<SqlPool, 'transaction'>; clock: Clock },
  subscription: Subscription<T>,
  { consumer, event_id }: Pick<DeadLetter, 'consumer' | 'event_id'>,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    // The deletion locks the row, so that only one of several retries handles the event.
    const letter = await tx.first<{ event: LedgerEvent<T> }>(
      'DELETE FROM dead_letters WHERE consumer = $1 AND event_id = $2 RETURNING event',
      [consumer, event_id],
    );
    if (letter === undefined) return false;
    await applyWithin(tx, subscription, [letter.event], clock());
    return true;
  });
}

const COUNTS = `SELECT consumer, count(*)::int AS events FROM dead_letters GROUP BY consumer`;

/**
 * Counts the dead letters of a database at each scrape.
 * @param durables the consumers of the running subscriptions
 * @returns a function that ends it
 */
export function measureDeadLetters(db: Sql, durables: readonly string[]): () => void {
  let consumers = new Set(durables);
  const stop = beforeScrape('dead letters', async () => {
    const dead = await db.rows<{ consumer: string; events: number }>(COUNTS);
    // Also those whose last dead letter has gone since the last scrape.
    consumers = new Set([...consumers, ...dead.map(({ consumer }) => consumer)]);
    const counts = new Map(dead.map((each) => [each.consumer, each.events]));
    for (const consumer of consumers) {
      deadLetterCount.set({ messaging_consumer_group_name: consumer }, counts.get(consumer) ?? 0);
    }
  });
  return () => {
    stop();
    for (const consumer of consumers) deadLetterCount.remove({ messaging_consumer_group_name: consumer });
  };
}
