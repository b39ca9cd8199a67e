import type pg from 'pg';
import type { MemberRecord } from '../domain/member.ts';

/** Which members a list shows; null for all. */
export interface MemberFilter {
  role: MemberRecord['role'] | null;
  status: MemberRecord['status'] | null;
}

/** What decides which members' wallets the reader sees. */
export type Reader = Pick<MemberRecord, 'id' | 'role'>;

/** A member as one of the same association finds him. */
export interface SeenMember {
  member: MemberRecord;
  reader: Reader;
}

type Row = { [K in keyof MemberRecord]: MemberRecord[K] | null } & {
  reader_id: string;
  reader_role: MemberRecord['role'];
};

/** Sorts before everybody. */
const AFTER_NOBODY = { joined_at: '-infinity', member_id: '00000000-0000-0000-0000-000000000000' };

const LIST = `
  SELECT reader.id AS reader_id, reader.role AS reader_role, m.*
  FROM (SELECT id, role FROM members WHERE association_id = $1 AND user_id = $2 AND status = 'active') AS reader
  LEFT JOIN LATERAL (
    SELECT id, association_id, user_id, display_name, role, status, hands, payout_wallet_id, joined_at FROM members
    WHERE association_id = $1 AND ($3::text IS NULL OR role = $3) AND ($4::text IS NULL OR status = $4)
      AND (joined_at, id) > ($5::timestamptz, $6::uuid)
    ORDER BY joined_at, id LIMIT $7
  ) AS m ON true
  ORDER BY m.joined_at, m.id`;

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
): Promise<SeenMember[] | null> {
  const { joined_at, member_id } = after ?? AFTER_NOBODY;
  const { rows } = await pool.query<Row>({
    name: 'membership.list_seen_members',
    text: LIST,
    values: [association_id, user_id, role, status, joined_at, member_id, limit],
  });
  if (rows.length === 0) return null;
  return rows.flatMap(({ reader_id, reader_role, ...member }) =>
    // The reader alone, where nobody else fits.
    member.id === null ? [] : [{ member: member as MemberRecord, reader: { id: reader_id, role: reader_role } }],
  );
}
