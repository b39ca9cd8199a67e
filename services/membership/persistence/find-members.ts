import type pg from 'pg';
import type { Payee } from '../../../lib/contracts/membership.ts';
import type { MemberRecord } from '../members/member.table.ts';

export type FoundMember = Omit<MemberRecord, 'association_id'>;

/** The association's members among these ids, whatever their status. */
export async function findMembers(pool: pg.Pool, association_id: string, ids: string[]): Promise<FoundMember[]> {
  const { rows } = await pool.query<FoundMember>({
    name: 'membership.find_members',
    text: `SELECT id, user_id, display_name, role, status, hands, payout_wallet_id, joined_at, tenure
           FROM members WHERE id = ANY($2::uuid[]) AND association_id = $1 ORDER BY joined_at, id`,
    values: [association_id, ids],
  });
  return rows;
}

/** The same, but only where they are paid: of a whole association this is read and sent at once. */
export async function findPayees(pool: pg.Pool, association_id: string, ids: string[]): Promise<Payee[]> {
  const { rows } = await pool.query<Payee>({
    name: 'membership.find_payees',
    text: `SELECT id AS member_id, user_id, payout_wallet_id
           FROM members WHERE id = ANY($2::uuid[]) AND association_id = $1`,
    values: [association_id, ids],
  });
  return rows;
}
