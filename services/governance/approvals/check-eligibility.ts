import { checkEligibility } from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { call, type CanCall } from '../../../lib/service/call.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import { requiredApprovals, type ApprovalRequest } from './approval.rules.ts';

/** Returns how many approvals another service's request would need, without storing anything. */
export const checkEligibilityAction = () =>
  implementCommand(checkEligibility, async (request, ctx) => {
    const { required_approvals } = await readRequiredVotes(ctx, request.association_id, request);
    return { required_approvals };
  });

/**
 * Reads the current board and rules, and returns what the request needs (see requiredApprovals).
 * @throws no_eligible_approver
 */
export async function readRequirement(
  via: CanCall,
  association_id: string,
  request: ApprovalRequest,
): Promise<{ required_approvals: number; terms: Terms }> {
  const { terms, board } = await call(via, membership.board, { association_id });
  const ids = board.map((member) => member.member_id);
  const required_approvals = requiredApprovals(
    ids,
    request,
    membership.completeRules(terms.rules).approvals[request.subject_type],
  );
  if (required_approvals === null) throw problem('no_eligible_approver');
  return { required_approvals, terms };
}

/**
 * Reads the same for a request of another service, which always needs the vote of another member: only a proposal can be
 * carried out by the request alone.
 * @throws no_eligible_approver
 */
export async function readRequiredVotes(
  via: CanCall,
  association_id: string,
  request: ApprovalRequest,
): Promise<{ required_approvals: number; terms: Terms }> {
  const requirement = await readRequirement(via, association_id, request);
  if (requirement.required_approvals === 0) throw problem('no_eligible_approver');
  return requirement;
}
