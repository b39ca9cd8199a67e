import type { EntityManager } from 'typeorm';
import type { Approval } from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { findApproval, findWithVotes } from '../persistence/approvals.ts';
import type { ApprovalWithVotes } from '../persistence/approvals.ts';

/** An approval as clients see it. */
export function showApproval({ approval: row, votes }: ApprovalWithVotes): Approval {
  return {
    id: row.id,
    association_id: row.association_id,
    subject_type: row.subject_type,
    subject_id: row.subject_id,
    payload: row.payload,
    payload_hash: row.payload_hash,
    status: row.status,
    required_approvals: row.required_approvals,
    votes: votes.map((vote) => ({ ...vote, voted_at: vote.voted_at.toISOString() })),
    requested_by_member_id: row.requested_by_member_id,
    expires_at: row.expires_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
    execution: { status: row.execution_status, error: row.execution_error },
  };
}

/**
 * Loads an association's approval.
 * @throws not_found, also for one of another association
 */
export async function loadApproval(manager: EntityManager, association_id: string, id: string): Promise<ApprovalRow> {
  const row = await findApproval(manager, id);
  if (row?.association_id !== association_id) throw problem('not_found');
  return row;
}

/** The approval as it is now, for an answer. */
export async function currentApproval(manager: EntityManager, id: string): Promise<Approval> {
  const found = await findWithVotes(manager, id);
  if (found === undefined) throw problem('not_found');
  return showApproval(found);
}
