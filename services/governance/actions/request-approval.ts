import { call } from '../../../lib/actions/call.ts';
import { implementCommand } from '../../../lib/actions/implement.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { violatesUnique } from '../../../lib/db/errors.ts';
import { requirementOf } from '../domain/eligibility.ts';
import type { GovernanceDeps } from '../deps.ts';
import { findApproval } from '../persistence/approvals.ts';
import { requireNotClosed } from '../persistence/seals.ts';
import { newApproval, storeApproval } from '../sagas/new-approval.ts';
import { currentApproval } from './show.ts';

/** Opens the approval of another service's request, once for each id. */
export const requestApprovalAction = (deps: GovernanceDeps) =>
  implementCommand(governance.requestApproval, async ({ approval_id, ...request }, ctx) => {
    const { foundation } = deps;
    const { runtime } = foundation;
    const { manager } = foundation.db;
    // A repeat gives what the first one gave, whatever has become of the board since.
    if ((await findApproval(manager, approval_id)) !== null) return currentApproval(manager, approval_id);
    const { association_id } = request;
    const { terms, board } = await call(ctx, membership.board, { association_id });
    const rule = terms.rules.approvals[request.subject_type];
    const requirement = requirementOf(
      board.map((member) => member.member_id),
      request,
      rule,
    );
    if (requirement.by !== 'votes') throw problem('no_eligible_approver');
    const { required_approvals } = requirement;
    const approval = newApproval(runtime, terms, { ...request, id: approval_id, required_approvals });
    try {
      await foundation.transaction(async (transaction) => {
        // A closure that is under way finds what the approval is for in the service that asks, and fails. To wait for it
        // here would be to wait for each other: it waits until that service knows whether the approval is open.
        await requireNotClosed(transaction, association_id);
        await storeApproval(deps, transaction, approval);
      });
    } catch (error) {
      // A repeat at the same moment may find the subject taken before it finds its own id.
      const isRepeat = violatesUnique(error, 'approvals_subject_once');
      if (!isRepeat || (await findApproval(manager, approval_id)) === null) throw error;
    }
    await runtime.reached('governance.approval_stored');
    return currentApproval(manager, approval_id);
  });
