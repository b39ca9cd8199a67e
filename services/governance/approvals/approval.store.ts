import { NO_SUCH_ID } from '../../../lib/contracts/fields.ts';
import { OVERVIEW_MAX_APPROVALS } from '../../../lib/contracts/overview.ts';
import type { Db } from '../../../lib/db/db.ts';
import { columnList, findRow } from '../../../lib/db/table.ts';
import { shareSubjects } from '../../../lib/locks/advisory.ts';
import type { Position } from '../../../lib/paging/cursors.ts';
import { sqlList } from '../../../lib/saga/states.ts';
import { approvals, PENDING, votes, type ApprovalRow, type ApprovalStatus, type VoteRow } from './approval.table.ts';

/** SQL condition on approvals without a decision. Some of them may have expired. */
const IS_PENDING = `status IN (${sqlList(PENDING)})`;

/** Finds an approval; undefined if it does not exist. */
export function findApproval(db: Db, id: string): Promise<ApprovalRow | undefined> {
  return findRow(db, approvals, { id });
}

const LOCK_APPROVAL = {
  name: 'governance.lock_approval',
  text: `SELECT ${columnList(approvals, 'a')} FROM approvals a WHERE id = $1 FOR UPDATE`,
};

/** Locks an approval until the transaction ends. Every vote and decision holds this lock, so they run one at a time. */
export function lockApproval(db: Db, id: string): Promise<ApprovalRow | undefined> {
  return db.first(LOCK_APPROVAL, [id]);
}

const LIST_VOTES = {
  name: 'governance.list_votes',
  text: `SELECT ${columnList(votes, 'v')} FROM votes v WHERE approval_id = $1 ORDER BY voted_at, member_id`,
};

/** Lists the votes on an approval, oldest first. */
export function listVotes(db: Db, approval_id: string): Promise<VoteRow[]> {
  return db.rows(LIST_VOTES, [approval_id]);
}

/**
 * Whether the association has approvals that can still be decided. Expired approvals cannot.
 * @param except the id of an approval that does not count
 */
export async function hasUndecided(db: Db, association_id: string, except: string, now: Date): Promise<boolean> {
  const undecided = await db.rows(
    `SELECT FROM approvals
     WHERE association_id = $1 AND ${IS_PENDING} AND expires_at > $2 AND id <> $3 LIMIT 1`,
    [association_id, now, except],
  );
  return undecided.length > 0;
}

/** An approval with the parts of its votes that clients see, oldest first. */
export type ApprovalWithVotes = ApprovalRow & {
  votes: (Pick<VoteRow, 'member_id' | 'decision'> & { voted_at: string })[];
};

/** The columns of ApprovalWithVotes, from approvals `a`. `voted_at` is a string, as JSON has no instants. */
const WITH_VOTES = `${columnList(approvals, 'a')}, ARRAY(
    SELECT json_build_object('member_id', v.member_id, 'decision', v.decision, 'voted_at', v.voted_at) FROM votes v
    WHERE v.approval_id = a.id ORDER BY v.voted_at, v.member_id
  ) AS votes`;

const FIND_WITH_VOTES = {
  name: 'governance.find_with_votes',
  text: `SELECT ${WITH_VOTES} FROM approvals a WHERE a.id = $1`,
};

/** Finds an approval with its votes; undefined if it does not exist. */
export function findWithVotes(db: Db, id: string): Promise<ApprovalWithVotes | undefined> {
  return db.first(FIND_WITH_VOTES, [id]);
}

/** Which approvals a list shows. */
export interface ApprovalFilter {
  association_id: string;
  status: ApprovalStatus | undefined;
  subject_type: string | undefined;
}

/** Lists approvals older than `after`, newest first. */
export function listNewestFirst(
  db: Db,
  { association_id, status, subject_type }: ApprovalFilter,
  after: Position | null,
  limit: number,
): Promise<ApprovalWithVotes[]> {
  const [requested_at, id] = after ?? [null, null];
  return db.rows(
    `SELECT ${WITH_VOTES} FROM approvals a
     WHERE a.association_id = $1 AND ($2::text IS NULL OR a.status = $2)
       AND ($3::text IS NULL OR a.subject_type = $3)
       AND ($4::timestamptz IS NULL OR (a.requested_at, a.id) < ($4, $5::uuid))
     ORDER BY a.requested_at DESC, a.id DESC LIMIT $6`,
    [association_id, status ?? null, subject_type ?? null, requested_at, id, limit],
  );
}

/** An approval that waits for a vote. */
export type WaitingApproval = Pick<
  ApprovalRow,
  'id' | 'association_id' | 'subject_type' | 'subject_id' | 'requested_by_member_id' | 'expires_at'
>;

const WAITING = {
  name: 'governance.waiting_for_memberships',
  text: `
    SELECT a.id, a.association_id, a.subject_type, a.subject_id, a.requested_by_member_id, a.expires_at
    FROM unnest($1::uuid[], $2::uuid[]) AS mine (association_id, member_id)
    CROSS JOIN LATERAL (
      SELECT id, association_id, subject_type, subject_id, requested_by_member_id, expires_at FROM approvals
      WHERE association_id = mine.association_id AND ${IS_PENDING} AND expires_at > $3
        AND requested_by_member_id <> mine.member_id AND concerned_member_id IS DISTINCT FROM mine.member_id
        AND NOT EXISTS (SELECT FROM votes WHERE approval_id = approvals.id AND member_id = mine.member_id)
      ORDER BY expires_at, id LIMIT ${String(OVERVIEW_MAX_APPROVALS)}
    ) AS a
    ORDER BY a.association_id, a.expires_at, a.id`,
};

/**
 * Lists, for each association, the approvals that can still be decided and wait for the vote of its board member (see
 * eligibleApprovers()), those that expire first.
 */
export function listWaiting(
  db: Db,
  memberships: readonly { association_id: string; member_id: string }[],
  now: Date,
): Promise<WaitingApproval[]> {
  const ids = [memberships.map((each) => each.association_id), memberships.map((each) => each.member_id)];
  return db.rows(WAITING, [...ids, now]);
}

/** An approval that has expired without a decision. */
export type ExpiredApproval = Pick<ApprovalRow, 'id' | 'expires_at'>;

const EXPIRED = {
  name: 'governance.expired_approvals',
  text: `
    SELECT id, expires_at FROM approvals
    WHERE ${IS_PENDING} AND expires_at <= $1 AND (expires_at, id) > ($2::timestamptz, $3::uuid)
    ORDER BY expires_at, id LIMIT $4`,
};

/**
 * Finds approvals that have expired without a decision, those that expired first.
 * @param after the last one of the page before; undefined for the first page
 */
export function findExpired(
  db: Db,
  now: Date,
  after: ExpiredApproval | undefined,
  limit: number,
): Promise<ExpiredApproval[]> {
  return db.rows(EXPIRED, [now, after?.expires_at ?? '-infinity', after?.id ?? NO_SUCH_ID, limit]);
}

/** Marks an association's undecided approvals, so that their votes are evaluated again with the changed board. */
export async function markForReevaluation(db: Db, association_id: string, mark: string): Promise<void> {
  await db.run(`UPDATE approvals SET rejudge_mark = $2 WHERE association_id = $1 AND ${IS_PENDING}`, [
    association_id,
    mark,
  ]);
}

/** Finds marked approvals, those with the oldest mark first: marks are UUIDv7, which sort by age. */
export function findMarked(db: Db, limit: number): Promise<ApprovalRow[]> {
  return db.rows('SELECT * FROM approvals WHERE rejudge_mark IS NOT NULL ORDER BY rejudge_mark LIMIT $1', [limit]);
}

const CLOSURES = {
  name: 'governance.closures',
  text: `SELECT execution_status = 'done' AS done FROM locks JOIN approvals ON approvals.id = locks.owner_id
         WHERE subject = $1 AND NOT lifted`,
};

/**
 * Reads whether a closure has locked the association, and whether the closure is done or may still fail. If the association
 * is `open`, no closure can lock it until this transaction ends.
 */
export async function readClosureState(db: Db, association_id: string): Promise<'open' | 'closing' | 'closed'> {
  const [, closures] = await Promise.all([
    shareSubjects(db, [association_id]),
    // A second statement, which sees a lock that was set while the first one waited.
    db.rows<{ done: boolean }>(CLOSURES, [association_id]),
  ]);
  if (closures.length === 0) return 'open';
  return closures.some(({ done }) => done) ? 'closed' : 'closing';
}
