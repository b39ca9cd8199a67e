import { call } from '../../../lib/service/call.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import type { Decision, ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { callFailure, problemCode } from '../../../lib/errors/problem.ts';
import { OWNER_OF } from '../domain/ownership.ts';
import type { Owner } from '../domain/ownership.ts';
import { executedAs } from '../domain/states.ts';
import type { GovernanceDeps } from '../deps.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { storeOutcome } from '../persistence/approvals.ts';
import { dropSealOfFailed } from '../persistence/seals.ts';
import { prepareClosure } from './closure.ts';

/** How each owner is told. */
const COMMANDS = { membership: membership.executeApproval, treasury: treasury.executeApproval };

/**
 * Tells the owner of the subject how its approval ended, and keeps the answer. The owner acts once however often it is
 * told, so an answer that does not come in time is left to the sweeper.
 * @param approval as it was when it was last read; its decision must be stored
 * @returns what went wrong on the way, if the owner has still to be told; undefined once it has been
 */
export async function tellOwner(
  deps: GovernanceDeps,
  via: CanCall,
  approval: ApprovalRow,
  decision: Decision,
  wait_ms: number,
): Promise<unknown> {
  const owner = OWNER_OF[approval.subject_type];
  if (approval.owner_told_at !== null || owner === null) return undefined;
  const { runtime } = deps.foundation;
  await runtime.reached('governance.decision_stored');
  const closes = approval.subject_type === 'closure' && decision === 'approved';
  if (closes) {
    const readiness = await attempt(() => prepareClosure(deps, approval));
    if ('failure' in readiness) return readiness.failure;
    if (readiness.result === 'over') return undefined;
    await runtime.reached('governance.closure_sealed');
  }
  const told = await attempt(() => askOwner(via, owner, approval, decision, wait_ms));
  if ('failure' in told) return told.failure;
  await runtime.reached('governance.owner_told');
  await deps.foundation.transaction(async (manager) => {
    await storeOutcome(manager, approval.id, executedAs(decision, told.result), runtime.clock());
    if (closes) await dropSealOfFailed(manager, approval.id);
  });
  await runtime.reached('governance.outcome_stored');
  return undefined;
}

/** What goes wrong here is for the sweeper to try again, and for whoever waits to know of. */
async function attempt<T>(run: () => Promise<T>): Promise<{ result: T } | { failure: unknown }> {
  try {
    return { result: await run() };
  } catch (failure) {
    return { failure };
  }
}

/** @throws when the outcome is unknown or the call has not run */
async function askOwner(
  via: CanCall,
  owner: Owner,
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
    return await call(via, COMMANDS[owner], input, wait_ms);
  } catch (error) {
    // A refusal is for good: the same question would get it again.
    if (callFailure(error) === 'refused') return { status: 'failed', error: problemCode(error) ?? null };
    throw error;
  }
}
