import type { ActionSchema } from 'moleculer';
import { implementCommand } from '../../../lib/service/implement.ts';
import { bindCycle } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { termsOf } from '../associations/association.table.ts';
import { referenceOf } from '../members/member.table.ts';
import { lockAssociation } from '../associations/association.store.ts';
import { boundMembers, findBinding, findOpenBinding, insertBinding } from './binding.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { dropCompletedBinding } from '../actions/drop-completed-binding.ts';

/**
 * Binds the active members to a cycle. The members and hands of the first call are kept, so that a repeat gives the
 * same ones. Refuses a cycle that was released already: the request came too late.
 */
export function bindCycleAction({ foundation }: MembershipDeps): ActionSchema {
  return implementCommand(bindCycle, async ({ association_id, cycle_id }, ctx) => {
    await dropCompletedBinding(foundation, ctx, association_id, cycle_id);
    return foundation.transaction(async (manager) => {
      const association = await lockAssociation(manager, association_id);
      if (association === null) throw problem('not_found');
      const binding = await findBinding(manager, association_id, cycle_id);
      if (binding?.released === true) throw problem('not_found');
      if (binding === null) {
        if (association.status === 'closed') throw problem('association_closed');
        if ((await findOpenBinding(manager, association_id)) !== null) throw problem('cycle_in_progress');
        await insertBinding(manager, association_id, cycle_id, foundation.runtime.clock());
      }
      const members = await boundMembers(manager, cycle_id);
      return { terms: termsOf(association), members: members.map(referenceOf) };
    });
  });
}
