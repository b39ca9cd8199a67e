import type { Approval } from '../../../lib/contracts/governance.ts';
import type { Db } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { findApproval, findWithVotes, type ApprovalWithVotes } from './approval.store.ts';
import type { ApprovalRow } from './approval.table.ts';

/** Returns an approval as clients see it. */
export function showApproval(row: ApprovalWithVotes): Approval {
  return {
    id: row.id,
    association_id: row.association_id,
    subject_type: row.subject_type,
    subject_id: row.subject_id,
    payload: row.payload,
    payload_hash: row.payload_hash,
    status: row.status,
    required_approvals: row.required_approvals,
    votes: row.votes.map((vote) => ({ ...vote, voted_at: new Date(vote.voted_at).toISOString() })),
    requested_by_member_id: row.requested_by_member_id,
    expires_at: row.expires_at.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
    execution: { status: row.execution_status, error: row.execution_error },
  };
}

/**
 * Reads an approval as clients see it.
 * @throws not_found
 */
export async function readApproval(db: Db, id: string): Promise<Approval> {
  const found = await findWithVotes(db, id);
  if (found === undefined) throw problem('not_found');
  return showApproval(found);
}

/**
 * Finds an approval of an association.
 * @throws not_found even if another association has the approval
 */
export async function loadApproval(db: Db, association_id: string, id: string): Promise<ApprovalRow> {
  const row = await findApproval(db, id);
  if (row?.association_id !== association_id) throw problem('not_found');
  return row;
}
