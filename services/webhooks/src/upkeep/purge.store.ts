/** The SQL that deletes what is no longer needed, in batches: each deleted row is locked until its statement ends. */
import type { Sql } from '@association-service/contracts/subscriber';

export const PURGE_MAX_ROWS = 1_000;

/** Rows that ended before `expired` are deleted. Replays that began before `uncounted` do not limit others. */
export interface PurgeTimes {
  expired: Date;
  uncounted: Date;
}

type Delete = (db: Pick<Sql, 'run'>, times: PurgeTimes) => Promise<number>;

const batch =
  (text: string): Delete =>
  (db, { expired }) =>
    db.run(text, [expired, PURGE_MAX_ROWS]);

/**
 * The deletions in their order: rows before those that they refer to. Each returns how many rows it has deleted, at most
 * PURGE_MAX_ROWS.
 */
export const PURGES: readonly Delete[] = [
  // Of deleted endpoints, also those that are not sent yet. One that is being sent is deleted with them.
  (db) =>
    db.run(
      `DELETE FROM deliveries WHERE id IN (
         SELECT d.id FROM webhooks w JOIN deliveries d ON d.webhook_id = w.id WHERE w.deleted_at IS NOT NULL LIMIT $1
         FOR UPDATE OF d SKIP LOCKED)`,
      [PURGE_MAX_ROWS],
    ),
  batch(
    `DELETE FROM deliveries WHERE id IN (
       SELECT id FROM deliveries WHERE finished_at < $1 ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
  ),
  (db, { expired, uncounted }) =>
    db.run(
      `DELETE FROM replays WHERE id IN (
         SELECT r.id FROM replays r JOIN webhooks w ON w.id = r.webhook_id
         WHERE (r.done_at < $1 OR (w.deleted_at IS NOT NULL AND r.created_at < $2))
           AND NOT EXISTS (SELECT FROM deliveries d WHERE d.replay_id = r.id) LIMIT $3)`,
      [expired, uncounted, PURGE_MAX_ROWS],
    ),
  batch(
    `DELETE FROM events WHERE id IN (
       SELECT id FROM events e WHERE received_at < $1 AND NOT EXISTS (SELECT FROM deliveries d WHERE d.event_id = e.id)
       ORDER BY received_at LIMIT $2)`,
  ),
  (db) =>
    db.run(
      `DELETE FROM webhooks w WHERE deleted_at IS NOT NULL
         AND NOT EXISTS (SELECT FROM deliveries d WHERE d.webhook_id = w.id)
         AND NOT EXISTS (SELECT FROM replays r WHERE r.webhook_id = w.id)`,
    ),
  batch(`DELETE FROM owner_notices WHERE id IN (SELECT id FROM owner_notices WHERE told_at < $1 LIMIT $2)`),
];
