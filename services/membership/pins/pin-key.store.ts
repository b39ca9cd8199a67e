/** What the membership nodes on one database must agree on: the PIN keys that are offered, and the pepper. */
import type { Reader } from '../../../lib/db/statements.ts';

/** The PIN keys of one node. */
export interface NodeKeys {
  name: string;
  kids: string[];
}

/**
 * Records which keys a node has, and reads those of the others.
 * @param live_ms a node that was not seen for so long counts as gone
 */
export async function exchangeKeys(
  db: Reader,
  id: string,
  { name, kids }: NodeKeys,
  live_ms: number,
): Promise<NodeKeys[]> {
  // By the clock of the database, the only one that all nodes have in common.
  return db.query(
    `WITH own AS (
       INSERT INTO pin_key_nodes (id, name, kids, seen_at) VALUES ($1, $2, $3, now())
       ON CONFLICT (id) DO UPDATE SET kids = EXCLUDED.kids, seen_at = EXCLUDED.seen_at
     )
     SELECT name, kids FROM pin_key_nodes WHERE id <> $1 AND seen_at > now() - $4 * interval '1 millisecond'`,
    [id, name, kids, live_ms],
  );
}

/** Deletes the rows of nodes that have been gone for a day. */
export async function deleteGoneNodes(db: Reader): Promise<void> {
  await db.query(`DELETE FROM pin_key_nodes WHERE seen_at < now() - interval '1 day'`);
}

/** Records the check value of the database's pepper unless there is one; returns the one that stands. */
export async function settlePepper(db: Reader, check_value: Buffer): Promise<Buffer> {
  await db.query(`INSERT INTO pin_pepper (check_value) VALUES ($1) ON CONFLICT DO NOTHING`, [check_value]);
  const [row]: { check_value: Buffer }[] = await db.query(`SELECT check_value FROM pin_pepper`);
  if (row === undefined) throw new Error('pin_pepper is empty');
  return row.check_value;
}
