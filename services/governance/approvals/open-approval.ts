import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import type { SubjectType } from '../../../lib/contracts/approvals.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { insertStatement } from '../../../lib/db/table.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import type { GovernanceDeps } from '../deps.ts';
import { approvals, type ApprovalRow } from './approval.table.ts';
import { eventDataOf } from './decide-approval.ts';

const HOUR_MS = 3_600_000;

/** A request for which an approval is opened. */
export interface NewApproval {
  id: string;
  association_id: string;
  subject_type: SubjectType;
  subject_id: string;
  payload: Record<string, unknown>;
  requested_by_member_id: string;
  concerned_member_id: string | null;
  required_approvals: number;
}

/** Returns a new pending approval, which expires after the time that the association's rules give. */
export function newApproval({ clock, newId }: Runtime, terms: Terms, request: NewApproval): ApprovalRow {
  const now = clock();
  return {
    ...request,
    // Voters send it back to confirm what they have seen.
    payload_hash: canonicalHash(request.payload),
    status: 'pending',
    requested_at: now,
    expires_at: new Date(now.getTime() + terms.rules.approval_expires_in_hours * HOUR_MS),
    decided_at: null,
    execution_status: 'none',
    execution_error: null,
    // The board may have changed since it was read. If too few voters remain, the evaluation rejects the request.
    rejudge_mark: newId(),
    cancelled_by_operation_id: null,
  };
}

/**
 * Stores a new approval with its event in the caller's transaction.
 * If the id or the subject already has an approval, the transaction fails with an error for which isRace() is true.
 */
export function storeApproval(
  { outbox }: Pick<GovernanceDeps, 'outbox'>,
  tx: Transaction,
  approval: ApprovalRow,
): void {
  tx.send(...insertStatement(approvals, [approval]));
  const { association_id, requested_by_member_id, required_approvals, expires_at } = approval;
  outbox.append(tx, {
    type: 'approval.requested',
    association_id,
    data: {
      ...eventDataOf(approval),
      requested_by_member_id,
      required_approvals,
      expires_at: expires_at.toISOString(),
    },
  });
}
