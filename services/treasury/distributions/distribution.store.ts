import type { Db } from '../../../lib/db/db.ts';
import type { Distribution, DistributionState } from './distribution.table.ts';

/**
 * Finds the distribution that a transfer has paid.
 * @throws Error if there is none
 */
export async function findByPayment(db: Db, transfer_id: string): Promise<Distribution> {
  const row = await db.first<Distribution>('SELECT * FROM distributions WHERE closing_transfer_id = $1', [transfer_id]);
  if (row === undefined) throw new Error(`Transfer ${transfer_id} pays no distribution`);
  return row;
}

/**
 * Lists an association's distributions in these states, newest first.
 * @param before the id of a distribution: only older ones are listed, as UUIDv7 ids sort by creation
 */
export function listByState(
  db: Db,
  association_id: string,
  states: readonly DistributionState[],
  before: string | null,
  limit: number,
): Promise<Distribution[]> {
  // A page of each state. Only the index by state has this order and finds this position, so that no other row is read.
  return db.rows(
    `SELECT page.* FROM unnest($2::text[]) AS wanted (status) CROSS JOIN LATERAL (
       SELECT * FROM distributions
       WHERE association_id = $1 AND distributions.status = wanted.status
         AND ($3::uuid IS NULL OR (distributions.status, id) < (wanted.status, $3))
       ORDER BY id DESC NULLS LAST LIMIT $4
     ) AS page
     ORDER BY id DESC LIMIT $4`,
    [association_id, states, before, limit],
  );
}
