import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import type { Approval } from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { isOpen } from '../domain/states.ts';
import { isPast } from '../domain/voting.ts';
import type { GovernanceDeps } from '../deps.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { lockApproval } from '../persistence/approvals.ts';
import { decide } from '../sagas/decision.ts';
import { carryOut } from './carry-out.ts';
import { currentApproval, loadApproval } from './show.ts';

/** POST …/governance/approvals/:approval_id/cancel, by whoever made the request. */
export const cancelApprovalAction = (deps: GovernanceDeps) =>
  implementWrite(deps.foundation, governance.cancelApproval, async ({ path }, caller, ctx, operation) => {
    const { foundation, timings } = deps;
    const { association_id, approval_id } = path;
    // What the path names comes first: whoever may not see the association finds nothing in it either.
    const approval = await loadApproval(foundation.db.manager, association_id, approval_id);
    if (!isCancelledBy(approval, operation)) {
      const { member } = await authorizeCaller(ctx, caller, association_id, 'cancel_request');
      if (approval.requested_by_member_id !== member.member_id) throw problem('not_requester');
    }
    const cancelled = await cancel(deps, approval_id, operation);
    return carryOut(deps, ctx, cancelled, timings.execution_wait_ms);
  });

/** Ends the pending approval, once for each operation. */
function cancel(deps: GovernanceDeps, approval_id: string, operation: Operation): Promise<Approval> {
  const { foundation } = deps;
  return foundation.transaction(async (manager) => {
    const locked = await lockApproval(manager, approval_id);
    if (locked === null) throw problem('not_found');
    if (isCancelledBy(locked, operation)) return currentApproval(manager, approval_id);
    const now = foundation.runtime.clock();
    if (!isOpen(locked.status) || isPast(locked, now)) throw problem('approval_not_pending');
    await decide(deps, manager, locked, 'cancelled', now, operation.id);
    const cancelled = await currentApproval(manager, approval_id);
    await operation.answered(manager, cancelled);
    return cancelled;
  });
}

function isCancelledBy(approval: ApprovalRow, operation: Operation): boolean {
  return approval.cancelled_by_operation_id === operation.id;
}
