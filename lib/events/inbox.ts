import type { LedgerEvent } from '../contracts/events.ts';
import type { Db } from '../db/db.ts';

const MARK_SEEN = {
  name: 'inbox.mark_seen',
  // Ordered, so that two nodes with the same events wait in one order and not for each other.
  text: `
    INSERT INTO inbox (consumer, event_id, processed_at)
    SELECT $1, event_id, $3 FROM unnest($2::uuid[]) AS ids (event_id) ORDER BY event_id
    ON CONFLICT DO NOTHING RETURNING event_id`,
};

/** Marks the events as seen; gives those that had not been. For the transaction of their effects. */
export async function markSeen(db: Db, consumer: string, ids: string[], now: Date): Promise<Set<string>> {
  const rows = await db.rows<{ event_id: string }>(MARK_SEEN, [consumer, ids, now]);
  return new Set(rows.map((row) => row.event_id));
}

/** An event that a consumer has given up on. */
export interface DeadLetter {
  consumer: string;
  /** Where it came from. */
  subject: string;
  event: LedgerEvent;
  /** What kept it from taking effect, the last time. */
  error: string;
  deliveries: number;
  dead_at: Date;
}

/** Keeps what a consumer has given up on, for people to look at. */
export async function storeDeadLetter(db: Db, letter: DeadLetter): Promise<void> {
  const { consumer, subject, event, error, deliveries, dead_at } = letter;
  await db.run(
    `INSERT INTO dead_letters (consumer, event_id, subject, event, error, deliveries, dead_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
    [consumer, event.id, subject, JSON.stringify(event), error, deliveries, dead_at],
  );
}
