import { requestApproval } from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { GovernanceDeps } from '../deps.ts';
import { closureState } from '../executions/closure-lock.store.ts';
import { findApproval, isSubjectTaken } from './approval.store.ts';
import { currentApproval } from './approval.view.ts';
import { newApproval, storeApproval } from './open-approval.ts';
import { requireVotes } from './require-votes.ts';

/** Opens the approval of another service's request, once for each id. */
export const requestApprovalAction = (deps: GovernanceDeps) =>
  implementCommand(requestApproval, async ({ approval_id, ...request }, ctx) => {
    const { db, runtime } = deps;
    // A repeat gives what the first one gave, whatever has become of the board since.
    if ((await findApproval(db, approval_id)) !== null) return currentApproval(db, approval_id);
    const { association_id } = request;
    const { required_approvals, terms } = await requireVotes(ctx, association_id, request);
    const approval = newApproval(runtime, terms, { ...request, id: approval_id, required_approvals });
    try {
      await db.transaction(async (tx) => {
        // A closure that is under way finds the request in the service that asks, and fails. To wait for the closure
        // here would be a deadlock: it waits until that service knows whether the approval is open.
        if ((await closureState(tx, association_id)) === 'closed') throw problem('association_closed');
        await storeApproval(deps, tx, approval);
      });
    } catch (error) {
      // A repeat at the same moment may find the subject taken before it finds its own id.
      if (!isSubjectTaken(error) || (await findApproval(db, approval_id)) === null) throw error;
    }
    await runtime.reached('governance.approval_stored');
    return currentApproval(db, approval_id);
  });
