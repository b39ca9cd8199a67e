import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import type { Decision, ExecutionOutcome, SubjectType } from '../../../lib/contracts/approvals.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { callFailure, problemCode } from '../../../lib/errors/problem.ts';
import { executionAfter, mayEnd } from '../domain/states.ts';
import type { GovernanceDeps } from '../deps.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { storeOutcome } from '../persistence/approvals.ts';

/** Who carries out what was decided about a subject. */
const OWNERS = {
  cash_deposit: treasury.executeApproval,
  distribution: treasury.executeApproval,
  role_change: membership.executeApproval,
} as const satisfies Record<SubjectType, unknown>;

/**
 * Tells the owner of the subject how its approval ended, and keeps the answer. The owner acts once however often it is
 * told, so an answer that does not come in time is left to the sweeper.
 * @param approval as it was when it was last read; its decision must be stored
 * @returns what went wrong on the way, if the owner has still to be told; undefined once it has been
 */
export async function tellOwner(
  { foundation }: GovernanceDeps,
  via: CanCall,
  approval: ApprovalRow,
  decision: Decision,
  wait_ms: number,
): Promise<unknown> {
  const { runtime } = foundation;
  await runtime.reached('governance.decision_stored');
  let outcome: ExecutionOutcome;
  try {
    outcome = await askOwner(via, approval, decision, wait_ms);
  } catch (error) {
    return error;
  }
  await runtime.reached('governance.owner_told');
  const executed = mayEnd(executionAfter(decision), outcome.status);
  await storeOutcome(foundation.db.manager, approval.id, executed ? outcome : null, runtime.clock());
  await runtime.reached('governance.outcome_stored');
  return undefined;
}

/** @throws when the outcome is unknown or the call has not run */
async function askOwner(
  via: CanCall,
  approval: ApprovalRow,
  decision: Decision,
  wait_ms: number,
): Promise<ExecutionOutcome> {
  const input = {
    approval_id: approval.id,
    association_id: approval.association_id,
    subject_type: approval.subject_type,
    subject_id: approval.subject_id,
    decision,
    payload: approval.payload,
  };
  try {
    return await call(via, OWNERS[approval.subject_type], input, wait_ms);
  } catch (error) {
    // A refusal is for good: the same question would get it again.
    if (callFailure(error) === 'refused') return { status: 'failed', error: problemCode(error) ?? null };
    throw error;
  }
}
