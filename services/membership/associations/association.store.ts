/**
 * Associations in the database. All transactions of the service lock in the same order: association, member,
 * invitation, ending. PIN rows are locked in separate transactions.
 */
import type { Db } from '../../../lib/db/db.ts';
import { columnList, findRow } from '../../../lib/db/table.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Position } from '../../../lib/paging/cursors.ts';
import type { Viewer } from '../members/member.table.ts';
import { associations, type AssociationRow } from './association.table.ts';

/**
 * Reads an association.
 * @throws not_found
 */
export async function loadAssociation(db: Db, id: string): Promise<AssociationRow> {
  const association = await findRow(db, associations, { id });
  if (association === undefined) throw problem('not_found');
  return association;
}

/**
 * Reads an association and locks it until the transaction ends. All changes that depend on its members take this lock.
 * @throws not_found
 */
export async function lockAssociation(tx: Db, id: string): Promise<AssociationRow> {
  const association = await tx.first<AssociationRow>(
    `SELECT ${columnList(associations)} FROM associations WHERE id = $1 FOR UPDATE`,
    [id],
  );
  if (association === undefined) throw problem('not_found');
  return association;
}

/** Adds 1 for a member who joined, -1 for a member who left. Must be called under the lock on the association. */
export async function changeMemberCount(tx: Db, id: string, change: 1 | -1): Promise<void> {
  await tx.run('UPDATE associations SET member_count = member_count + $2 WHERE id = $1', [id, change]);
}

/** An association, and its reader; null if they are not an active member. */
export interface Viewed {
  association: AssociationRow;
  viewer: Viewer | null;
}

type ViewedRow = AssociationRow &
  Omit<Viewer, 'id' | 'status'> & { viewer_id: string | null; viewer_status: Viewer['status'] };

/** The columns of a ViewedRow, from associations `a` and members `m`. */
const VIEWED = `${columnList(associations, 'a')},
  m.id AS viewer_id, m.role, m.status AS viewer_status, m.hands, m.joined_at`;

function viewedOf({ viewer_id, role, viewer_status: status, hands, joined_at, ...association }: ViewedRow): Viewed {
  return { association, viewer: viewer_id === null ? null : { id: viewer_id, role, status, hands, joined_at } };
}

const FIND_VIEWED = {
  name: 'membership.find_viewed',
  text: `
    SELECT ${VIEWED}
    FROM associations a
    LEFT JOIN members m ON m.association_id = a.id AND m.user_id = $2 AND m.status = 'active'
    WHERE a.id = $1 AND (a.is_public OR m.id IS NOT NULL)`,
};

/** Finds an association that is public or has the user as an active member. */
export async function findViewed(db: Db, association_id: string, user_id: string): Promise<Viewed | undefined> {
  const row = await db.first<ViewedRow>(FIND_VIEWED, [association_id, user_id]);
  return row && viewedOf(row);
}

/** The position after all rows, from which the first page begins, because the newest rows come first. */
export const FIRST_POSITION: Position = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

const OWN_NEWEST_FIRST = `
  FROM members m JOIN associations a ON a.id = m.association_id
  WHERE m.user_id = $1 AND m.status = 'active' AND (m.joined_at, m.id) < ($2::timestamptz, $3::uuid)
  ORDER BY m.joined_at DESC, m.id DESC LIMIT $4`;

const LIST_OWN = { name: 'membership.list_memberships', text: `SELECT ${VIEWED} ${OWN_NEWEST_FIRST}` };

/**
 * Lists the associations with the user as an active member, the newest membership first.
 * @param after `joined_at` and id of a membership
 */
export async function listOwn(db: Db, user_id: string, after: Position | null, limit: number) {
  const rows = await db.rows<ViewedRow>(LIST_OWN, [user_id, ...(after ?? FIRST_POSITION), limit]);
  // The join leaves no row without a viewer.
  return rows.map(viewedOf) as { association: AssociationRow; viewer: Viewer }[];
}

/** What an overview shows of an association of its reader. */
export interface OwnSummary {
  association: Pick<AssociationRow, 'id' | 'name' | 'type' | 'currency' | 'status'>;
  viewer: Viewer;
}

type OwnSummaryRow = OwnSummary['association'] &
  Omit<Viewer, 'id' | 'status'> & { viewer_id: string; viewer_status: Viewer['status'] };

const LIST_OWN_SUMMARIES = {
  name: 'membership.list_membership_summaries',
  text: `
    SELECT a.id, a.name, a.type, a.currency, a.status,
      m.id AS viewer_id, m.role, m.status AS viewer_status, m.hands, m.joined_at
    ${OWN_NEWEST_FIRST}`,
};

/** Lists what overviews show of the associations of listOwn(). */
export async function listOwnSummaries(db: Db, user_id: string, after: Position | null, limit: number) {
  const rows = await db.rows<OwnSummaryRow>(LIST_OWN_SUMMARIES, [user_id, ...(after ?? FIRST_POSITION), limit]);
  return rows.map(({ viewer_id, role, viewer_status: status, hands, joined_at, ...association }): OwnSummary => ({
    association,
    viewer: { id: viewer_id, role, status, hands, joined_at },
  }));
}

/**
 * The associations that the directory shows. They have all words, from searchWords(), and all values that are not null.
 */
export interface DirectoryFilter {
  words: string[];
  type: AssociationRow['type'] | null;
  currency: string | null;
  contribution_frequency: AssociationRow['contribution_frequency'] | null;
}

/**
 * Lists active public associations, the newest first. Their sort key never changes, so that pages do not overlap when
 * associations are created in the meantime.
 * @param user_id the reader
 * @param after `created_at` and id of an association
 */
export async function listPublic(
  db: Db,
  user_id: string,
  { words, ...filters }: DirectoryFilter,
  after: Position | null,
  limit: number,
): Promise<Viewed[]> {
  const values: unknown[] = [user_id, limit];
  const value = (given: unknown) => `$${String(values.push(given))}`;
  // The statement has only conditions for the filters that are set, so that PostgreSQL plans for these.
  const conditions = [
    `a.is_public AND a.status = 'active'`,
    ...(['type', 'currency', 'contribution_frequency'] as const)
      .filter((name) => filters[name] !== null)
      .map((name) => `a.${name} = ${value(filters[name])}`),
    ...words.map((word) => `a.search_text LIKE ${value(`%${escapeLike(word)}%`)}`),
    ...(after === null ? [] : [`(a.created_at, a.id) < (${after.map(value).join(', ')})`]),
  ];
  const rows = await db.rows<ViewedRow>(
    `SELECT ${VIEWED}
     FROM associations a LEFT JOIN members m ON m.association_id = a.id AND m.user_id = $1 AND m.status = 'active'
     WHERE ${conditions.join(' AND ')}
     ORDER BY a.created_at DESC, a.id DESC LIMIT $2`,
    values,
  );
  return rows.map(viewedOf);
}

/** Returns the word in the form in which LIKE matches it literally. */
function escapeLike(word: string): string {
  return word.replace(/[\\%_]/g, String.raw`\$&`);
}
