import { IsNull } from 'typeorm';
import type { EntityManager, QueryDeepPartialEntity } from 'typeorm';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { Position } from '../../../lib/paging/cursors.ts';
import { executionAfter } from '../domain/states.ts';
import type { ApprovalStatus } from '../domain/states.ts';
import { ApprovalEntity } from './approval.entity.ts';
import type { ApprovalRow } from './approval.entity.ts';
import { ProposalEntity } from './proposal.entity.ts';
import type { ProposalRow } from './proposal.entity.ts';
import { VoteEntity } from './vote.entity.ts';
import type { VoteRow } from './vote.entity.ts';

/** Which approvals a list shows. */
export interface ApprovalFilter {
  association_id: string;
  status: ApprovalStatus | undefined;
  subject_type: string | undefined;
}

/** Writes a new pending approval unless its id is taken. @returns whether it was written */
export async function insertApproval(manager: EntityManager, row: ApprovalRow): Promise<boolean> {
  // The id alone: another approval of the same subject must show. TypeORM's orIgnore() would hide that as well.
  const rows: unknown[] = await manager.query(
    `INSERT INTO approvals (id, association_id, subject_type, subject_id, payload, payload_hash, status,
       required_approvals, requested_by_member_id, concerned_member_id, requested_at, expires_at, execution_status,
       touched_at, rejudge_mark)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [
      row.id,
      row.association_id,
      row.subject_type,
      row.subject_id,
      JSON.stringify(row.payload),
      row.payload_hash,
      row.status,
      row.required_approvals,
      row.requested_by_member_id,
      row.concerned_member_id,
      row.requested_at,
      row.expires_at,
      row.execution_status,
      row.touched_at,
      row.rejudge_mark,
    ],
  );
  return rows.length > 0;
}

export async function insertVote(manager: EntityManager, row: VoteRow): Promise<void> {
  await manager.insert(VoteEntity, row);
}

export async function insertProposal(manager: EntityManager, row: ProposalRow): Promise<void> {
  await manager.insert(ProposalEntity, row as QueryDeepPartialEntity<ProposalRow>);
}

export function findProposal(manager: EntityManager, id: string): Promise<ProposalRow | null> {
  return manager.findOneBy(ProposalEntity, { id });
}

/**
 * Whether the association has approvals that wait for their decision; those whose time is over do not.
 * @param beside this one
 */
export async function hasPending(
  manager: EntityManager,
  association_id: string,
  beside: string,
  now: Date,
): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `SELECT 1 FROM approvals
     WHERE association_id = $1 AND status = 'pending' AND expires_at > $2 AND id <> $3 LIMIT 1`,
    [association_id, now, beside],
  );
  return rows.length > 0;
}

export function findApproval(manager: EntityManager, id: string): Promise<ApprovalRow | null> {
  return manager.findOneBy(ApprovalEntity, { id });
}

/** Waits for and takes the row's lock, which every vote and decision holds: they are judged one at a time. */
export function lockApproval(manager: EntityManager, id: string): Promise<ApprovalRow | null> {
  return manager.findOne(ApprovalEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
}

/** The votes of these approvals, first come first. */
export async function votesOf(manager: EntityManager, ids: string[]): Promise<VoteRow[]> {
  if (ids.length === 0) return [];
  return manager
    .createQueryBuilder(VoteEntity, 'vote')
    .where('vote.approval_id = ANY(:ids)', { ids })
    .orderBy('vote.voted_at')
    .addOrderBy('vote.member_id')
    .getMany();
}

/** An approval with its votes, first come first. */
export interface ApprovalWithVotes {
  approval: ApprovalRow;
  votes: CountedVote[];
}

/** What an answer shows of a vote. */
export type CountedVote = Pick<VoteRow, 'member_id' | 'decision' | 'voted_at'>;

/** A row of `approvals` with its votes as JSON, which has no instants. */
type RowWithVotes = ApprovalRow & { votes: (Omit<CountedVote, 'voted_at'> & { voted_at: string })[] };

/** Of approvals `a`, for one statement to read all that an answer shows. */
const WITH_VOTES = `a.*, ARRAY(
    SELECT json_build_object('member_id', v.member_id, 'decision', v.decision, 'voted_at', v.voted_at) FROM votes v
    WHERE v.approval_id = a.id ORDER BY v.voted_at, v.member_id
  ) AS votes`;

function withVotes({ votes, ...approval }: RowWithVotes): ApprovalWithVotes {
  return { approval, votes: votes.map((vote) => ({ ...vote, voted_at: new Date(vote.voted_at) })) };
}

/** The approval as it is now. */
export async function findWithVotes(manager: EntityManager, id: string): Promise<ApprovalWithVotes | undefined> {
  const rows: RowWithVotes[] = await manager.query(`SELECT ${WITH_VOTES} FROM approvals a WHERE a.id = $1`, [id]);
  return rows.map(withVotes)[0];
}

/** Newest first, those older than `after`. */
export async function listNewestFirst(
  manager: EntityManager,
  { association_id, status, subject_type }: ApprovalFilter,
  after: Position | null,
  limit: number,
): Promise<ApprovalWithVotes[]> {
  const [requested_at, id] = after ?? [null, null];
  const rows: RowWithVotes[] = await manager.query(
    `SELECT ${WITH_VOTES} FROM approvals a
     WHERE a.association_id = $1 AND ($2::text IS NULL OR a.status = $2)
       AND ($3::text IS NULL OR a.subject_type = $3)
       AND ($4::timestamptz IS NULL OR (a.requested_at, a.id) < ($4, $5::uuid))
     ORDER BY a.requested_at DESC, a.id DESC LIMIT $6`,
    [association_id, status ?? null, subject_type ?? null, requested_at, id, limit],
  );
  return rows.map(withVotes);
}

/** Where listNewestFirst() goes on after this row. */
export function positionOf({ approval }: ApprovalWithVotes): Position {
  return [approval.requested_at.toISOString(), approval.id];
}

/**
 * Ends a pending approval.
 * @param cancelled_by the operation that cancels it, if it is cancelled
 * @returns whether it was pending
 */
export async function storeDecision(
  manager: EntityManager,
  id: string,
  decision: Exclude<ApprovalStatus, 'pending'>,
  now: Date,
  cancelled_by: string | null,
): Promise<boolean> {
  const result = await manager.update(
    ApprovalEntity,
    { id, status: 'pending' },
    {
      status: decision,
      decided_at: now,
      execution_status: executionAfter(decision),
      touched_at: now,
      rejudge_mark: null,
      cancelled_by_operation_id: cancelled_by,
    },
  );
  return result.affected === 1;
}

/**
 * Notes that the owner of the subject knows of the decision, and what came of its execution; the first answer stands.
 * @param execution null where nothing was to be executed
 */
export async function storeOutcome(
  manager: EntityManager,
  id: string,
  execution: ExecutionOutcome | null,
  now: Date,
): Promise<void> {
  await manager.update(
    ApprovalEntity,
    { id, owner_told_at: IsNull() },
    {
      owner_told_at: now,
      ...(execution === null ? {} : { execution_status: execution.status, execution_error: execution.error }),
    },
  );
}
