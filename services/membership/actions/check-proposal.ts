import type { ActionSchema } from 'moleculer';
import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import { implementCommand } from '../../../lib/actions/implement.ts';
import { readProposalPayload } from '../../../lib/contracts/governance.ts';
import { checkProposal } from '../../../lib/contracts/membership.ts';
import { obligations } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Foundation } from '../../../lib/service/foundation.ts';
import { departureRefusal } from '../domain/departure.ts';
import { lockAssociation } from '../persistence/associations.ts';
import { cycleBinding } from '../persistence/cycle-bindings.ts';
import { lockMemberById } from '../persistence/members.ts';
import type { MembershipDeps } from '../deps.ts';
import type { ChangeScope } from './change.ts';
import { dropCompletedBinding } from './drop-completed-binding.ts';
import { planChange } from './plan-change.ts';

type Check = (scope: ChangeScope) => Promise<unknown>;

/**
 * Says whether a proposal could be carried out now, by the very rules that carry it out. Whether an association is
 * empty enough to be closed is for contribution, treasury and governance to say.
 */
export function checkProposalAction({ foundation }: MembershipDeps): ActionSchema {
  return implementCommand(checkProposal, async ({ association_id, type, payload }, ctx) => {
    const check: Check =
      type === 'expulsion'
        ? await expulsionCheck(foundation, ctx, association_id, readProposalPayload(type, payload).member_id)
        : (scope) => planChange(scope, type, payload);
    await foundation.transaction(async (manager) => {
      const association = await lockAssociation(manager, association_id);
      if (association === null) throw problem('not_found');
      await check({ foundation, manager, association });
    });
    return {};
  });
}

/** Looks at what other services hold of the member before the transaction, which waits for none of them. */
async function expulsionCheck(
  foundation: Foundation,
  via: CanCall,
  association_id: string,
  member_id: string,
): Promise<Check> {
  await dropCompletedBinding(foundation, via, association_id, null);
  const { pending } = await call(via, obligations, { association_id, member_id });
  return async ({ manager, association }) => {
    if (association.status === 'closed') throw problem('association_closed');
    const member = await lockMemberById(manager, association_id, member_id);
    const isBound = pending || (await cycleBinding(manager, association_id, member_id)) !== null;
    const refused = departureRefusal(member, isBound);
    if (refused !== null) throw problem(refused);
  };
}
