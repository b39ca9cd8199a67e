import type pg from 'pg';
import { instantColumn, instantText } from '../../../lib/db/instants.ts';
import type { MemberRecord } from '../members/member.table.ts';

/** Which members a list shows; null for all. */
export interface MemberFilter {
  role: MemberRecord['role'] | null;
  status: MemberRecord['status'] | null;
}

/** A member as a list shows him; `joined_at` in RFC 3339. */
export type ListedMember = Omit<MemberRecord, 'joined_at'> & { joined_at: string };

/** Sorts before everybody. */
const AFTER_NOBODY = { joined_at: '-infinity', member_id: '00000000-0000-0000-0000-000000000000' };

/** The reader first, if he is an active member, then the page; nothing at all if he is none. */
const LIST = `
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
  ORDER BY seen.part, seen.joined_at, seen.id`;

/**
 * The association's members in the order in which they joined, for one of them, in one statement.
 * @returns null unless the user is an active member
 */
export async function listSeenMembers(
  pool: pg.Pool,
  { association_id, user_id }: Pick<MemberRecord, 'association_id' | 'user_id'>,
  { role, status }: MemberFilter,
  after: { joined_at: string; member_id: string } | null,
  limit: number,
): Promise<{ reader: ListedMember; members: ListedMember[] } | null> {
  const { joined_at, member_id } = after ?? AFTER_NOBODY;
  const { rows } = await pool.query<ListedMember>({
    name: 'membership.list_seen_members',
    text: LIST,
    values: [association_id, user_id, role, status, joined_at, member_id, limit],
  });
  for (const row of rows) row.joined_at = instantText(row.joined_at);
  const [reader, ...members] = rows;
  return reader === undefined ? null : { reader, members };
}
