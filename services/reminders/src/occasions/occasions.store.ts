/** The SQL of the table `occasions`. */
import type { Sql, SqlTransaction } from '@association-service/contracts/subscriber';
import type { Reason, ReminderType } from '../message-types.rules.ts';
import type { MessageFacts } from '../messages/messages.store.ts';

export interface Occasion {
  occasion_id: string;
  key: string;
  type: ReminderType;
  association_id: string | null;
  meeting_id: string | null;
  /** The member or the user that it is about; null if those are still to be found out. */
  member_id: string | null;
  user_id: string | null;
  facts: MessageFacts;
  due_at: Date;
  expires_at: Date;
  after_member_id: string | null;
  failures: number;
}

export type NewOccasion = Omit<Occasion, 'after_member_id' | 'failures'>;

/** Stores an occasion once. One that was dropped because its meeting was moved is told after all if the meeting is moved back. */
export async function storeOccasion(db: Pick<Sql, 'run'>, occasion: NewOccasion): Promise<void> {
  const { occasion_id, key, type, association_id, meeting_id, member_id, user_id, facts, due_at, expires_at } =
    occasion;
  const ids = [occasion_id, key, type, association_id, meeting_id, member_id, user_id];
  await db.run(STORE, [...ids, JSON.stringify(facts), due_at, expires_at]);
}

const STORE = {
  name: 'occasions.store',
  text: `
    INSERT INTO occasions (occasion_id, key, type, association_id, meeting_id, member_id, user_id, facts, due_at,
      next_try_at, expires_at, status)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, 'waiting')
    ON CONFLICT (key) DO UPDATE SET
      status = 'waiting', reason = NULL, due_at = excluded.due_at, next_try_at = excluded.next_try_at,
      expires_at = excluded.expires_at, after_member_id = NULL, failures = 0, held_until = NULL
    WHERE occasions.reason = 'moved'`,
};

/** Real time. Each page takes two calls at most, which end within 5 s each, and renews it. */
const LEASE_MS = 30_000;

/** Takes occasions that are due. */
export function claimOccasions(db: Sql, now: Date, limit: number): Promise<Occasion[]> {
  return db.rows<Occasion>(CLAIM, [now, limit, LEASE_MS]);
}

const CLAIM = {
  name: 'occasions.claim',
  text: `
    UPDATE occasions SET held_until = clock_timestamp() + $3 * interval '1 millisecond'
    WHERE occasion_id IN (
      SELECT occasion_id FROM occasions
      WHERE status = 'waiting' AND next_try_at <= $1 AND (held_until IS NULL OR held_until < clock_timestamp())
      ORDER BY next_try_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    RETURNING occasion_id, key, type, association_id, meeting_id, member_id, user_id, facts, due_at, expires_at,
      after_member_id, failures`,
};

/**
 * Notes up to which member the messages of an occasion are stored, in the same transaction.
 * @param after_member_id null once all are
 * @returns false if the occasion was dropped or another process has finished it: then none may be stored
 */
export async function advance(
  tx: SqlTransaction,
  occasion_id: string,
  after_member_id: string | null,
): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE occasions SET
       status = CASE WHEN $2::uuid IS NULL THEN 'done' ELSE 'waiting' END,
       after_member_id = $2,
       held_until = clock_timestamp() + $3 * interval '1 millisecond'
     WHERE occasion_id = $1 AND status = 'waiting'`,
    [occasion_id, after_member_id, LEASE_MS],
  );
  return changed === 1;
}

/**
 * Ends an occasion of which nothing is told, or nothing to the recipients that are left.
 * @returns false if it had ended already
 */
export async function drop(db: Pick<Sql, 'run'>, occasion_id: string, reason: Reason): Promise<boolean> {
  const changed = await db.run(
    `UPDATE occasions SET status = 'dropped', reason = $2 WHERE occasion_id = $1 AND status = 'waiting'`,
    [occasion_id, reason],
  );
  return changed === 1;
}

/** Lets an occasion wait whose recipients could not be found out. It stays due, so that it is measured for how long it waits. */
export async function retryLater(db: Pick<Sql, 'run'>, occasion_id: string, next_try_at: Date): Promise<void> {
  await db.run(
    `UPDATE occasions SET next_try_at = $2, failures = failures + 1, held_until = NULL
     WHERE occasion_id = $1 AND status = 'waiting'`,
    [occasion_id, next_try_at],
  );
}

/** Gives back an occasion, whose other recipients are found out in the next run or by another process. */
export async function giveBack(db: Pick<Sql, 'run'>, occasion_id: string): Promise<void> {
  await db.run(`UPDATE occasions SET held_until = NULL WHERE occasion_id = $1 AND status = 'waiting'`, [occasion_id]);
}

/**
 * Drops what is not told yet of a meeting, and returns the keys of all its occasions of these types.
 * @param due_on the day that is left alone; null for none
 */
export async function dropOfMeeting(
  tx: SqlTransaction,
  meeting_id: string,
  types: readonly string[],
  due_on: string | null,
  reason: Reason,
): Promise<string[]> {
  const rows = await tx.rows<{ key: string }>(
    `UPDATE occasions SET
       status = CASE WHEN status = 'waiting' THEN 'dropped' ELSE status END,
       reason = CASE WHEN status = 'done' AND $4 <> 'moved' THEN reason ELSE $4 END
     WHERE meeting_id = $1 AND type = ANY($2) AND ($3::text IS NULL OR facts ->> 'due_on' <> $3)
     RETURNING key`,
    [meeting_id, types, due_on, reason],
  );
  return rows.map(({ key }) => key);
}

/** Drops what is not told yet with a key. */
export async function dropByKey(tx: SqlTransaction, key: string, reason: Reason): Promise<void> {
  await tx.run(`UPDATE occasions SET status = 'dropped', reason = $2 WHERE key = $1 AND status = 'waiting'`, [
    key,
    reason,
  ]);
}

/** Drops what is not told yet of the meetings of an association. */
export async function dropOfAssociation(
  tx: SqlTransaction,
  association_id: string,
  types: readonly string[],
): Promise<void> {
  await tx.run(
    `UPDATE occasions SET status = 'dropped', reason = 'no_longer_due'
     WHERE association_id = $1 AND type = ANY($2) AND status = 'waiting'`,
    [association_id, types],
  );
}

/** Reads since when the oldest occasion that is due waits; undefined if none does. */
export async function readOldestOccasion(db: Sql, now: Date): Promise<Date | undefined> {
  const row = await db.first<{ oldest_at: Date | null }>(
    `SELECT min(due_at) AS oldest_at FROM occasions WHERE status = 'waiting' AND due_at <= $1`,
    [now],
  );
  return row?.oldest_at ?? undefined;
}

/** Deletes occasions that are long over, a part at a time. */
export function pruneOccasions(db: Sql, before: Date, rows_max: number): Promise<number> {
  return db.run(
    `DELETE FROM occasions WHERE occasion_id IN (
       SELECT occasion_id FROM occasions WHERE expires_at < $1 AND status <> 'waiting' ORDER BY expires_at LIMIT $2)`,
    [before, rows_max],
  );
}
