import * as membership from '../../../lib/contracts/membership.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { call, type CanCall } from '../../../lib/service/call.ts';
import { requirementOf, type Request } from './approval.rules.ts';

/**
 * What another service's request needs under the present board and rules.
 * @throws no_eligible_approver; only a proposal can be approved by its maker's own act
 */
export async function requireVotes(
  via: CanCall,
  association_id: string,
  request: Request,
): Promise<{ required_approvals: number; terms: Terms }> {
  const { terms, board } = await call(via, membership.board, { association_id });
  const ids = board.map((member) => member.member_id);
  const requirement = requirementOf(ids, request, terms.rules.approvals[request.subject_type]);
  if (requirement.by !== 'votes') throw problem('no_eligible_approver');
  return { required_approvals: requirement.required_approvals, terms };
}
