/** Associations with what the reader is in them, each answer in one statement. */
import type pg from 'pg';
import type { AssociationRecord } from './association.table.ts';
import type { Viewer } from './association.view.ts';

/** An association, and its reader if he is an active member. */
export interface Viewed {
  association: AssociationRecord;
  viewer: Viewer | null;
}

export type ViewedRow = Omit<AssociationRecord, 'status'> &
  Omit<Viewer, 'id' | 'status'> & {
    association_status: AssociationRecord['status'];
    viewer_id: string | null;
    viewer_status: Viewer['status'];
  };

/** Of associations `a` and members `m`; without `search_text`, which is long and for a condition alone. */
export const VIEWED_COLUMNS = `
  a.id, a.name, a.description, a.type, a.status AS association_status, a.currency,
  a.contribution_amount_minor, a.contribution_frequency, a.max_members, a.is_public, a.member_count, a.rules,
  a.rules_version, a.created_at,
  m.id AS viewer_id, m.role, m.status AS viewer_status, m.hands, m.joined_at`;

export function viewedOf({ association_status, viewer_id, viewer_status, ...row }: ViewedRow): Viewed {
  return {
    association: { ...row, status: association_status },
    viewer: viewer_id === null ? null : { ...row, id: viewer_id, status: viewer_status },
  };
}

const FIND = `
  SELECT ${VIEWED_COLUMNS}
  FROM associations a
  LEFT JOIN members m ON m.association_id = a.id AND m.user_id = $2 AND m.status = 'active'
  WHERE a.id = $1 AND (a.is_public OR m.id IS NOT NULL)`;

/** The association, if it is public or the user an active member. */
export async function findViewed(pool: pg.Pool, association_id: string, user_id: string): Promise<Viewed | null> {
  const { rows } = await pool.query<ViewedRow>({
    name: 'membership.find_viewed',
    text: FIND,
    values: [association_id, user_id],
  });
  return rows[0] === undefined ? null : viewedOf(rows[0]);
}

/** Sorts after every membership that there is. */
const BEFORE_ALL = { joined_at: 'infinity', member_id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

const LIST_MEMBERSHIPS = `
  SELECT ${VIEWED_COLUMNS}
  FROM members m JOIN associations a ON a.id = m.association_id
  WHERE m.user_id = $1 AND m.status = 'active' AND (m.joined_at, m.id) < ($2::timestamptz, $3::uuid)
  ORDER BY m.joined_at DESC, m.id DESC LIMIT $4`;

export interface Membership {
  association: AssociationRecord;
  member: Viewer;
}

/** The associations that the user is an active member of, the newest membership first. */
export async function listMemberships(
  pool: pg.Pool,
  user_id: string,
  after: { joined_at: string; member_id: string } | null,
  limit: number,
): Promise<Membership[]> {
  const { joined_at, member_id } = after ?? BEFORE_ALL;
  const { rows } = await pool.query<ViewedRow>({
    name: 'membership.list_memberships',
    text: LIST_MEMBERSHIPS,
    values: [user_id, joined_at, member_id, limit],
  });
  return rows
    .map(viewedOf)
    .flatMap(({ association, viewer }) => (viewer === null ? [] : [{ association, member: viewer }]));
}
