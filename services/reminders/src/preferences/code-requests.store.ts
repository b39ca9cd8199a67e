/** The SQL of the table `code_requests`, which counts the codes that were sent. */
import type { Sql, SqlTransaction } from '@association-service/contracts/subscriber';
import { CODES_OF_ADDRESS_MAX, CODES_OF_USER_MAX, CODES_WINDOW_MS } from './codes.rules.ts';

/**
 * Counts a code.
 * @returns when another one may be sent if there were too many, or undefined if this one may be sent
 */
export async function countCode(
  tx: SqlTransaction,
  request: { code_id: string; user_id: string; address_hash: Buffer },
  now: Date,
): Promise<Date | undefined> {
  const { code_id, user_id, address_hash } = request;
  // Requests of other users for the same address are counted one after another.
  await tx.run(`SELECT pg_advisory_xact_lock(hashtextextended(encode($1::bytea, 'hex'), 0))`, [address_hash]);
  const since = new Date(now.getTime() - CODES_WINDOW_MS);
  const full = await tx.first<{ oldest_at: Date | null }>(BLOCKED_BY, [
    user_id,
    address_hash,
    since,
    CODES_OF_USER_MAX,
    CODES_OF_ADDRESS_MAX,
  ]);
  if (full?.oldest_at != null) return new Date(full.oldest_at.getTime() + CODES_WINDOW_MS);
  await tx.run('INSERT INTO code_requests (code_id, user_id, address_hash, requested_at) VALUES ($1, $2, $3, $4)', [
    code_id,
    user_id,
    address_hash,
    now,
  ]);
  return undefined;
}

/** The code that must be older than the window before another one is sent: the last of the most recent ones that are allowed. */
const BLOCKED_BY = `
  SELECT greatest(
    (SELECT requested_at FROM code_requests WHERE user_id = $1 AND requested_at > $3
     ORDER BY requested_at DESC OFFSET $4 - 1 LIMIT 1),
    (SELECT requested_at FROM code_requests WHERE address_hash = $2 AND requested_at > $3
     ORDER BY requested_at DESC OFFSET $5 - 1 LIMIT 1)
  ) AS oldest_at`;

/** Deletes the requests that no longer count. */
export async function pruneCodeRequests(db: Sql, now: Date): Promise<void> {
  await db.run('DELETE FROM code_requests WHERE requested_at <= $1', [new Date(now.getTime() - CODES_WINDOW_MS)]);
}
