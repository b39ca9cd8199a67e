import type { ActionSchema } from 'moleculer';
import { call } from '../../../lib/service/call.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import { checkProposal } from '../../../lib/contracts/membership.ts';
import { obligations } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Foundation } from '../../../lib/service/service-context.ts';
import { departureRefusal } from '../domain/departure.ts';
import { lockAssociation } from '../associations/association.store.ts';
import { cycleBinding } from '../cycles/binding.store.ts';
import { lockMemberById } from '../members/member.store.ts';
import type { MembershipDeps } from '../deps.ts';
import type { ChangeScope } from '../actions/change.ts';
import { dropCompletedBinding } from '../actions/drop-completed-binding.ts';
import { planChange, readPayload } from './plan-change.ts';

type Check = (scope: ChangeScope) => Promise<unknown>;

/**
 * Says whether a proposal could be carried out now, by the very rules that carry it out. Whether an association is
 * empty enough to be closed is for contribution, treasury and governance to say.
 */
export function checkProposalAction({ foundation }: MembershipDeps): ActionSchema {
  return implementCommand(checkProposal, async ({ association_id, type, payload }, ctx) => {
    const check: Check =
      type === 'expulsion'
        ? await expulsionCheck(foundation, ctx, association_id, readPayload(type, payload).member_id)
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
