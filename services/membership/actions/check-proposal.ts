import type { ActionSchema } from 'moleculer';
import { implementCommand } from '../../../lib/actions/implement.ts';
import { checkProposal } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { lockAssociation } from '../persistence/associations.ts';
import type { MembershipDeps } from '../deps.ts';
import { dropCompletedBinding } from './drop-completed-binding.ts';
import { planChange } from './plan-change.ts';

/**
 * Says whether a proposal could be carried out now, by the very rules that carry it out. Whether an association is
 * empty enough to be closed is for contribution, treasury and governance to say.
 */
export function checkProposalAction({ foundation }: MembershipDeps): ActionSchema {
  return implementCommand(checkProposal, async ({ association_id, type, payload }, ctx) => {
    if (type === 'expulsion') await dropCompletedBinding(foundation, ctx, association_id, null);
    await foundation.transaction(async (manager) => {
      const association = await lockAssociation(manager, association_id);
      if (association === null) throw problem('not_found');
      await planChange({ foundation, manager, association }, type, payload);
    });
    return {};
  });
}
