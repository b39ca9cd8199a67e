import { cancelApproval, type Approval } from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import type { GovernanceDeps } from '../deps.ts';
import { executeDecision } from '../executions/execute-decision.ts';
import { isUndecided } from './approval.rules.ts';
import { lockApproval } from './approval.store.ts';
import type { ApprovalRow } from './approval.table.ts';
import { loadApproval, readApproval } from './approval.view.ts';
import { decide } from './decide-approval.ts';

/** Cancels a request on behalf of the member who made it. */
export const cancelApprovalAction = (deps: GovernanceDeps) =>
  implementWrite(deps, cancelApproval, async ({ path: { association_id, approval_id } }, caller, ctx, operation) => {
    // An unknown approval is refused before the caller's role is checked.
    const approval = await loadApproval(deps.db, association_id, approval_id);
    if (!isCancelledBy(approval, operation)) {
      const { member } = await authorizeCaller(ctx, caller, association_id, 'cancel_request');
      if (approval.requested_by_member_id !== member.member_id) throw problem('not_requester');
    }
    return executeDecision(deps, ctx, await cancel(deps, approval_id, operation));
  });

/** Ends the pending approval, once for each operation. */
function cancel(deps: GovernanceDeps, approval_id: string, operation: Operation): Promise<Approval> {
  const { db, runtime } = deps;
  return db.transaction(async (tx) => {
    const locked = await lockApproval(tx, approval_id);
    if (locked === undefined) throw problem('not_found');
    if (isCancelledBy(locked, operation)) return readApproval(tx, approval_id);
    const now = runtime.clock();
    if (!isUndecided(locked, now)) throw problem('approval_not_pending');
    await decide(deps, tx, locked, 'cancelled', now, operation.id);
    const cancelled = await readApproval(tx, approval_id);
    await operation.keep(tx, cancelled);
    return cancelled;
  });
}

function isCancelledBy(approval: ApprovalRow, operation: Operation): boolean {
  return approval.cancelled_by_operation_id === operation.id;
}
