import { requestApproval } from '../../../lib/contracts/governance.ts';
import { isRace } from '../../../lib/db/errors.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { GovernanceDeps } from '../deps.ts';
import { findWithVotes, readClosureState } from './approval.store.ts';
import { showApproval } from './approval.view.ts';
import { readRequiredVotes } from './check-eligibility.ts';
import { newApproval, storeApproval } from './open-approval.ts';

/** Opens the approval of another service's request, once for each id. */
export const requestApprovalAction = (deps: GovernanceDeps) =>
  implementCommand(requestApproval, async ({ approval_id, ...request }, ctx) => {
    const { db, runtime } = deps;
    // A repeat is answered like the first request, even if the board has changed since then.
    const opened = await findWithVotes(db, approval_id);
    if (opened !== undefined) return showApproval(opened);
    const { association_id } = request;
    const { required_approvals, terms } = await readRequiredVotes(ctx, association_id, request);
    const approval = newApproval(runtime, terms, { ...request, id: approval_id, required_approvals });
    try {
      await db.transaction(async (tx) => {
        // Does not wait for a closure that may still fail, as that would be a deadlock: the closure waits until the
        // requesting service knows whether the approval is open. It then finds the request there, and fails.
        if ((await readClosureState(tx, association_id)) === 'closed') throw problem('association_closed');
        storeApproval(deps, tx, approval);
      });
    } catch (error) {
      // A concurrent repeat may have opened the approval.
      const concurrent = isRace(error) ? await findWithVotes(db, approval_id) : undefined;
      if (concurrent === undefined) throw error;
      return showApproval(concurrent);
    }
    await runtime.reached('governance.approval_stored');
    return showApproval({ ...approval, votes: [] });
  });
