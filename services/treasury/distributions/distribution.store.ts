import type { Db } from '../../../lib/db/db.ts';
import type { Distribution, DistributionState } from './distribution.table.ts';

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
  return db.rows(
    `SELECT * FROM distributions
     WHERE association_id = $1 AND status = ANY($2) AND ($3::uuid IS NULL OR id < $3)
     ORDER BY id DESC LIMIT $4`,
    [association_id, states, before, limit],
  );
}
