import { authorized } from '../../../lib/actions/authorized.ts';
import { implement } from '../../../lib/actions/implement.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { isOpen } from '../domain/states.ts';
import { isPast } from '../domain/voting.ts';
import type { GovernanceDeps } from '../deps.ts';
import { lockApproval } from '../persistence/approvals.ts';
import { decide } from '../sagas/decision.ts';
import { tellOwner } from '../sagas/tell-owner.ts';
import { currentApproval, loadApproval } from './show.ts';

/** POST …/governance/approvals/:approval_id/cancel, by whoever made the request. */
export const cancelApprovalAction = (deps: GovernanceDeps) =>
  implement(governance.cancelApproval, async ({ path }, caller, ctx) => {
    const { foundation, timings } = deps;
    const { manager } = foundation.db;
    const { association_id, approval_id } = path;
    const { member } = await authorized(ctx, caller, association_id, 'cancel_request');
    const approval = await loadApproval(manager, association_id, approval_id);
    if (approval.requested_by_member_id !== member.member_id) throw problem('not_requester');
    await foundation.transaction(async (transaction) => {
      const locked = await lockApproval(transaction, approval_id);
      if (locked === null || !isOpen(locked.status) || isPast(locked, foundation.runtime.clock())) {
        throw problem('approval_not_pending');
      }
      await decide(deps, transaction, locked, 'cancelled');
    });
    const failure = await tellOwner(deps, ctx, approval, 'cancelled', timings.execution_wait_ms);
    if (failure !== undefined) {
      const { message } = failure as Error;
      ctx.service?.logger.warn('the owner of a cancelled request could not be told yet', { approval_id, message });
    }
    return currentApproval(manager, approval_id);
  });
