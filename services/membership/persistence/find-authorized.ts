import type pg from 'pg';
import type { AssociationTerms } from '../domain/association.ts';
import type { MemberFacts } from '../domain/member.ts';
import type { StoredPin } from '../domain/pin-hash.ts';

export interface Authorized {
  association: AssociationTerms;
  member: MemberFacts;
  /** The member's PIN, if it was asked for and he has one. */
  pin: StoredPin | null;
}

type Row = Omit<AssociationTerms, 'id' | 'status'> &
  Omit<MemberFacts, 'id' | 'status'> & {
    association_id: string;
    association_status: AssociationTerms['status'];
    member_id: string;
    member_status: MemberFacts['status'];
    salt: Buffer | null;
    hash: Buffer | null;
  };

/**
 * One statement for all that authorize() must know; null unless the user is an active member.
 * @param options `pin`: also his PIN; `former`: also if he has left or was expelled
 */
export async function findAuthorized(
  pool: pg.Pool,
  association_id: string,
  user_id: string,
  { pin = false, former = false }: { pin?: boolean; former?: boolean } = {},
): Promise<Authorized | null> {
  const { rows } = await pool.query<Row>({
    name: 'membership.find_authorized',
    text: FIND,
    values: [association_id, user_id, pin, former],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const { salt, hash } = row;
  return {
    association: { ...row, id: row.association_id, status: row.association_status },
    member: { ...row, id: row.member_id, status: row.member_status },
    pin: salt === null || hash === null ? null : { salt, hash },
  };
}

const FIND = `
  SELECT a.id AS association_id, a.name, a.type, a.status AS association_status, a.closing_approval_id,
    a.currency, a.contribution_amount_minor, a.contribution_frequency, a.rules, a.rules_version,
    m.id AS member_id, m.user_id, m.display_name, m.role, m.status AS member_status, m.hands,
    m.payout_wallet_id, m.joined_at,
    p.salt, p.hash
  FROM members m
  JOIN associations a ON a.id = m.association_id
  LEFT JOIN pins p ON $3::boolean AND p.user_id = m.user_id
  WHERE m.association_id = $1 AND m.user_id = $2 AND (m.status = 'active' OR $4::boolean)`;
