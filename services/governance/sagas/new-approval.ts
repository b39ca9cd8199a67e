import type { EntityManager } from 'typeorm';
import type { SubjectType } from '../../../lib/contracts/approvals.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import { payloadHash } from '../domain/payload.ts';
import type { GovernanceDeps } from '../deps.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { insertApproval } from '../persistence/approvals.ts';
import { factOf } from './decision.ts';

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
export function newApproval(runtime: Runtime, terms: Terms, request: NewApproval): ApprovalRow {
  const now = runtime.clock();
  return {
    ...request,
    payload_hash: payloadHash(request.payload),
    status: 'pending',
    requested_at: now,
    expires_at: new Date(now.getTime() + terms.rules.approval_expires_in_hours * HOUR_MS),
    decided_at: null,
    execution_status: 'none',
    execution_error: null,
    owner_told_at: null,
    touched_at: now,
    // The board may have changed since it was asked: the sweeper looks once more.
    rejudge_mark: runtime.newId(),
    cancelled_by_operation_id: null,
  };
}

/**
 * Stores a new approval with its event in the caller's transaction, which has looked whether the association is being
 * closed.
 * @returns whether its id was free
 */
export async function storeApproval(
  { foundation }: GovernanceDeps,
  manager: EntityManager,
  approval: ApprovalRow,
): Promise<boolean> {
  if (!(await insertApproval(manager, approval))) return false;
  await foundation.outbox.append(manager, {
    type: 'approval.requested',
    association_id: approval.association_id,
    data: {
      ...factOf(approval),
      requested_by_member_id: approval.requested_by_member_id,
      required_approvals: approval.required_approvals,
      expires_at: approval.expires_at.toISOString(),
    },
  });
  return true;
}
