import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import type { SubjectType } from '../../../lib/contracts/approvals.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import type { GovernanceDeps } from '../deps.ts';
import { insertApproval } from './approval.store.ts';
import type { ApprovalRow } from './approval.table.ts';
import { factOf } from './decide-approval.ts';

const HOUR_MS = 3_600_000;

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

/** A pending approval whose time begins now. */
export function newApproval({ clock, newId }: Runtime, terms: Terms, request: NewApproval): ApprovalRow {
  const now = clock();
  return {
    ...request,
    // By its hash a voter says what they have seen.
    payload_hash: canonicalHash(request.payload),
    status: 'pending',
    requested_at: now,
    expires_at: new Date(now.getTime() + terms.rules.approval_expires_in_hours * HOUR_MS),
    decided_at: null,
    execution_status: 'none',
    execution_error: null,
    // The board may have changed since it was asked: its votes are judged once more.
    rejudge_mark: newId(),
    cancelled_by_operation_id: null,
  };
}

/** Stores a new approval with its event in the caller's transaction, unless its id is taken. */
export async function storeApproval(
  { outbox }: Pick<GovernanceDeps, 'outbox'>,
  tx: Transaction,
  approval: ApprovalRow,
): Promise<void> {
  if (!(await insertApproval(tx, approval))) return;
  const { association_id, requested_by_member_id, required_approvals, expires_at } = approval;
  outbox.append(tx, {
    type: 'approval.requested',
    association_id,
    data: {
      ...factOf(approval),
      requested_by_member_id,
      required_approvals,
      expires_at: expires_at.toISOString(),
    },
  });
}
