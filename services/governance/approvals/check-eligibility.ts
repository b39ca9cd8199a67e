import { checkEligibility } from '../../../lib/contracts/governance.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import { requireVotes } from './require-votes.ts';

/** How many approvals another service's request would need; writes nothing. */
export const checkEligibilityAction = () =>
  implementCommand(checkEligibility, async (request, ctx) => {
    const { required_approvals } = await requireVotes(ctx, request.association_id, request);
    return { required_approvals };
  });
