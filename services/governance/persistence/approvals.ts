import { IsNull } from 'typeorm';
import type { EntityManager } from 'typeorm';
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

/** Writes a new approval unless its id is taken. @returns whether it was written */
export async function insertApproval(manager: EntityManager, row: ApprovalRow): Promise<boolean> {
  const result = await manager
    .createQueryBuilder()
    .insert()
    .into(ApprovalEntity)
    .values(row as never)
    // The id alone: another approval of the same subject is a mistake that must show.
    .orIgnore('("id")')
    .returning('id')
    .execute();
  return (result.raw as unknown[]).length > 0;
}

export async function insertVote(manager: EntityManager, row: VoteRow): Promise<void> {
  await manager.insert(VoteEntity, row);
}

export async function insertProposal(manager: EntityManager, row: ProposalRow): Promise<void> {
  await manager.insert(ProposalEntity, row as never);
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

/** Newest first, those older than `after`. */
export function listNewestFirst(
  manager: EntityManager,
  filter: ApprovalFilter,
  after: Position | null,
  limit: number,
): Promise<ApprovalRow[]> {
  const query = manager
    .createQueryBuilder(ApprovalEntity, 'approval')
    .where('approval.association_id = :association_id', { association_id: filter.association_id })
    .orderBy('approval.requested_at', 'DESC')
    .addOrderBy('approval.id', 'DESC')
    .limit(limit);
  if (filter.status !== undefined) query.andWhere('approval.status = :status', { status: filter.status });
  if (filter.subject_type !== undefined) {
    query.andWhere('approval.subject_type = :subject_type', { subject_type: filter.subject_type });
  }
  if (after !== null) {
    query.andWhere('(approval.requested_at, approval.id) < (:at, :id)', { at: after[0], id: after[1] });
  }
  return query.getMany();
}

/** Where listNewestFirst() goes on after this row. */
export function positionOf(row: ApprovalRow): Position {
  return [row.requested_at.toISOString(), row.id];
}

/** Ends a pending approval. @returns whether it was pending */
export async function storeDecision(
  manager: EntityManager,
  id: string,
  decision: Exclude<ApprovalStatus, 'pending'>,
  now: Date,
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
