/** Members in the database; see association.store.ts for the order of locks. */
import type { Payee } from '../../../lib/contracts/membership.ts';
import type { Role } from '../../../lib/contracts/permissions.ts';
import type { Db } from '../../../lib/db/db.ts';
import { instantColumn, instantText } from '../../../lib/db/instants.ts';
import { columnList } from '../../../lib/db/table.ts';
import type { Position } from '../../../lib/paging/cursors.ts';
import { members, type MemberRow } from './member.table.ts';

/** Reads the user's row in the association, active or not, and locks it until the transaction ends. */
export function lockMember(tx: Db, association_id: string, user_id: string): Promise<MemberRow | undefined> {
  return tx.first('SELECT * FROM members WHERE association_id = $1 AND user_id = $2 FOR UPDATE', [
    association_id,
    user_id,
  ]);
}

/** Reads a member's row by its id, active or not, and locks it until the transaction ends. */
export function lockMemberById(tx: Db, association_id: string, id: string): Promise<MemberRow | undefined> {
  return tx.first('SELECT * FROM members WHERE association_id = $1 AND id = $2 FOR UPDATE', [association_id, id]);
}

/** Reads the president, and locks the row until the transaction ends. */
export async function lockPresident(tx: Db, association_id: string): Promise<MemberRow> {
  const president = await tx.first<MemberRow>(
    `SELECT * FROM members WHERE association_id = $1 AND role = 'president' AND status = 'active' FOR UPDATE`,
    [association_id],
  );
  if (president === undefined) throw new Error(`${association_id} has no president`);
  return president;
}

const LIST_ACTIVE = {
  name: 'membership.list_active',
  text: `SELECT ${columnList(members, 'm')} FROM members m
         WHERE association_id = $1 AND status = 'active' AND role = ANY($2) ORDER BY joined_at, id`,
};

/** Lists the active members with one of the roles, in join order. */
export function listActive(db: Db, association_id: string, roles: readonly Role[]): Promise<MemberRow[]> {
  return db.rows(LIST_ACTIVE, [association_id, roles]);
}

const FIND = {
  name: 'membership.find_members',
  text: `SELECT id, user_id, display_name, role, status, hands, payout_wallet_id, joined_at, tenure
         FROM members WHERE id = ANY($2::uuid[]) AND association_id = $1 ORDER BY joined_at, id`,
};

/** Finds the association's members among these ids, regardless of their status. */
export function findMembers(
  db: Db,
  association_id: string,
  ids: string[],
): Promise<Omit<MemberRow, 'association_id'>[]> {
  return db.rows(FIND, [association_id, ids]);
}

const FIND_PAYEES = {
  name: 'membership.find_payees',
  text: `SELECT id AS member_id, user_id, payout_wallet_id
         FROM members WHERE id = ANY($2::uuid[]) AND association_id = $1`,
};

/** Finds only where these members are paid, because a settlement may need all members of an association. */
export function findPayees(db: Db, association_id: string, ids: string[]): Promise<Payee[]> {
  return db.rows(FIND_PAYEES, [association_id, ids]);
}

/** The members that a list shows; null for any role or status. */
export interface MemberFilter {
  role: MemberRow['role'] | null;
  status: MemberRow['status'] | null;
}

/** A member in a list. `joined_at` is RFC 3339. */
export type ListedMember = Omit<MemberRow, 'joined_at' | 'tenure'> & { joined_at: string };

/** The position before all members, from which the first page begins. */
const FIRST_POSITION: Position = ['-infinity', '00000000-0000-0000-0000-000000000000'];

/** Reads the row of the reader, then the page. There are no rows unless the reader is an active member. */
const LIST = {
  name: 'membership.list_seen_members',
  text: `
    WITH reader AS (SELECT * FROM members WHERE association_id = $1 AND user_id = $2 AND status = 'active')
    SELECT seen.id, seen.association_id, seen.user_id, seen.display_name, seen.role, seen.status, seen.hands,
      seen.payout_wallet_id, ${instantColumn('seen.joined_at')} AS joined_at
    FROM (
      SELECT 0 AS part, * FROM reader
      UNION ALL
      SELECT 1, * FROM (
        SELECT * FROM members
        WHERE EXISTS (SELECT FROM reader)
          AND association_id = $1 AND ($3::text IS NULL OR role = $3) AND ($4::text IS NULL OR status = $4)
          AND (joined_at, id) > ($5::timestamptz, $6::uuid)
        ORDER BY joined_at, id LIMIT $7
      ) AS page
    ) AS seen
    ORDER BY seen.part, seen.joined_at, seen.id`,
};

/**
 * Lists the association's members in join order, for a reader who is one of them, in one statement.
 * @param after `joined_at` and id of a member
 * @returns undefined if the user is not an active member
 */
export async function listSeenMembers(
  db: Db,
  { association_id, user_id }: Pick<MemberRow, 'association_id' | 'user_id'>,
  { role, status }: MemberFilter,
  after: Position | null,
  limit: number,
): Promise<{ reader: ListedMember; listed: ListedMember[] } | undefined> {
  const rows = await db.rows<ListedMember>(LIST, [
    association_id,
    user_id,
    role,
    status,
    ...(after ?? FIRST_POSITION),
    limit,
  ]);
  for (const row of rows) row.joined_at = instantText(row.joined_at);
  const [reader, ...listed] = rows;
  return reader && { reader, listed };
}
