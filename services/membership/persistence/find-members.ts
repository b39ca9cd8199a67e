import type pg from 'pg';
import type { MemberFacts } from '../domain/member.ts';

/** The association's members among these ids, whatever their status. */
export async function findMembers(pool: pg.Pool, association_id: string, ids: string[]): Promise<MemberFacts[]> {
  const { rows } = await pool.query<MemberFacts>({
    name: 'membership.find_members',
    text: `SELECT id, user_id, display_name, role, status, hands, payout_wallet_id, joined_at
           FROM members WHERE id = ANY($2::uuid[]) AND association_id = $1 ORDER BY joined_at, id`,
    values: [association_id, ids],
  });
  return rows;
}
