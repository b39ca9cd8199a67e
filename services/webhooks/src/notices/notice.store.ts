/** The SQL of `owner_notices`: what the owners of endpoints are to be told. */
import type { Sql, SqlTransaction } from '@association-service/contracts/subscriber';
import type { OwnFault } from '../states.rules.ts';

export interface Notice {
  id: string;
  webhook_id: string;
  association_id: string | null;
  user_id: string;
  reason: OwnFault;
  url_host: string;
}

/** Adds a notice, in the transaction that disables the endpoint. */
export function addNotice(tx: Pick<SqlTransaction, 'send'>, notice: Notice, now: Date): void {
  tx.send(
    `INSERT INTO owner_notices (id, webhook_id, association_id, user_id, reason, url_host, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [notice.id, notice.webhook_id, notice.association_id, notice.user_id, notice.reason, notice.url_host, now],
  );
}

/** Lists notices of which the owner has not been told, the oldest first. */
export function listUntold(db: Pick<Sql, 'rows'>, limit: number): Promise<Notice[]> {
  return db.rows(
    `SELECT id, webhook_id, association_id, user_id, reason, url_host FROM owner_notices
     WHERE told_at IS NULL ORDER BY created_at LIMIT $1`,
    [limit],
  );
}

export async function markTold(db: Pick<Sql, 'run'>, id: string, now: Date): Promise<void> {
  await db.run('UPDATE owner_notices SET told_at = $2 WHERE id = $1', [id, now]);
}

/** Deletes notices of before a time of which the owner has not been told. */
export function deleteUntold(
  db: Pick<Sql, 'rows'>,
  before: Date,
  limit: number,
): Promise<Pick<Notice, 'id' | 'webhook_id'>[]> {
  return db.rows(
    `DELETE FROM owner_notices WHERE id IN (
       SELECT id FROM owner_notices WHERE told_at IS NULL AND created_at < $1 ORDER BY created_at LIMIT $2
       FOR UPDATE SKIP LOCKED)
     RETURNING id, webhook_id`,
    [before, limit],
  );
}
