import { call } from '../../../lib/service/call.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { requirementOf } from '../domain/eligibility.ts';

/** How many approvals a request would need; writes nothing. */
export const checkEligibilityAction = () =>
  implementCommand(governance.checkEligibility, async (input, ctx) => {
    const { association_id } = input;
    const { terms, board } = await call(ctx, membership.board, { association_id });
    const rule = terms.rules.approvals[input.subject_type];
    const requirement = requirementOf(
      board.map((member) => member.member_id),
      input,
      rule,
    );
    // Only proposals made by propose() can be approved by one's own act.
    if (requirement.by !== 'votes') throw problem('no_eligible_approver');
    return { required_approvals: requirement.required_approvals };
  });
