/** The cycles that bind an association's members, in the database; see association.store.ts for the order of locks. */
import type { Db, Transaction } from '../../../lib/db/db.ts';
import type { MemberFacts } from '../members/member.table.ts';

/** Finds the cycle that binds the association now, and its first member. */
export function findOpenBinding(
  db: Db,
  association_id: string,
): Promise<{ cycle_id: string; first_member_id: string } | undefined> {
  return db.first(
    `SELECT b.cycle_id, m.member_id AS first_member_id
     FROM cycle_bindings b JOIN cycle_binding_members m ON m.cycle_id = b.cycle_id AND m.position = 1
     WHERE b.association_id = $1 AND b.released_at IS NULL`,
    [association_id],
  );
}

/** Reads the cycle that binds the member now, if there is one, and the number of cycles that ever bound them. */
export async function findMemberBindings(
  db: Db,
  association_id: string,
  member_id: string,
): Promise<{ open: string | null; count: number }> {
  const found = await db.first<{ open: string | null; count: number }>(
    `SELECT (array_agg(b.cycle_id) FILTER (WHERE b.released_at IS NULL))[1] AS open, count(*)::integer AS count
     FROM cycle_bindings b JOIN cycle_binding_members m ON m.cycle_id = b.cycle_id AND m.member_id = $2
     WHERE b.association_id = $1`,
    [association_id, member_id],
  );
  return found ?? { open: null, count: 0 };
}

/** Binds the active members with their current hands. Must be called under the lock on the association. */
export function bindMembers(tx: Transaction, association_id: string, cycle_id: string, now: Date): void {
  tx.send('INSERT INTO cycle_bindings (cycle_id, association_id, bound_at) VALUES ($1, $2, $3)', [
    cycle_id,
    association_id,
    now,
  ]);
  tx.send(
    `INSERT INTO cycle_binding_members (cycle_id, position, member_id, hands)
     SELECT $1, row_number() OVER (ORDER BY joined_at, id), id, hands
     FROM members WHERE association_id = $2 AND status = 'active'`,
    [cycle_id, association_id],
  );
}

/** Lists the members that the cycle bound, in join order, with the hands that they had then. */
export function listBoundMembers(db: Db, cycle_id: string): Promise<MemberFacts[]> {
  return db.rows(
    `SELECT m.id, m.user_id, m.display_name, m.role, m.status, b.hands, m.payout_wallet_id, m.joined_at
     FROM cycle_binding_members b JOIN members m ON m.id = b.member_id
     WHERE b.cycle_id = $1 ORDER BY b.position`,
    [cycle_id],
  );
}

/**
 * Releases the cycle's members, once. A cycle that was never bound is stored as released, so that a late request to
 * bind it is refused. The lock on the association serializes the two.
 */
export async function releaseBinding(db: Db, association_id: string, cycle_id: string, now: Date): Promise<void> {
  await db.run(
    `INSERT INTO cycle_bindings (cycle_id, association_id, bound_at, released_at)
     SELECT $1, association.id, $3, $3
     FROM (SELECT id FROM associations WHERE id = $2 FOR KEY SHARE) AS association
     ON CONFLICT (cycle_id) DO UPDATE SET released_at = coalesce(cycle_bindings.released_at, EXCLUDED.released_at)
       WHERE cycle_bindings.association_id = EXCLUDED.association_id`,
    [cycle_id, association_id, now],
  );
}
