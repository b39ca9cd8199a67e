import type { ActionSchema } from 'moleculer';
import { obligations } from '../../../lib/contracts/contribution.ts';
import { bindCycle, releaseCycle } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { call, type CanCall } from '../../../lib/service/call.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import { lockAssociation } from '../associations/association.store.ts';
import { termsOf } from '../associations/association.view.ts';
import type { MembershipDeps } from '../deps.ts';
import { referenceOf } from '../members/member.view.ts';
import { bindMembers, findOpenBinding, listBoundMembers, releaseBinding } from './binding.store.ts';
import { cycleBindings } from './binding.table.ts';

/**
 * Binds the active members to a cycle. A repeat returns the members and hands of the first call. Refuses a cycle that
 * is already released, because the request is late.
 */
export function bindCycleAction(deps: MembershipDeps): ActionSchema {
  const { db, runtime } = deps;
  return implementCommand(bindCycle, async ({ association_id, cycle_id }, ctx) => {
    await releaseCompletedCycle(deps, ctx, association_id, cycle_id);
    return db.transaction(async (tx) => {
      const association = await lockAssociation(tx, association_id);
      const binding = await tx.orm.findOneBy(cycleBindings, { cycle_id, association_id });
      if (binding === null) {
        if (association.status === 'closed') throw problem('association_closed');
        if ((await findOpenBinding(tx, association_id)) !== undefined) throw problem('cycle_in_progress');
        bindMembers(tx, association_id, cycle_id, runtime.clock());
      } else if (binding.released_at !== null) {
        throw problem('not_found');
      }
      const members = await listBoundMembers(tx, cycle_id);
      return { terms: termsOf(association), members: members.map(referenceOf) };
    });
  });
}

/** Releases the members of a cycle. */
export function releaseCycleAction({ db, runtime }: MembershipDeps): ActionSchema {
  return implementCommand(releaseCycle, async ({ association_id, cycle_id }) => {
    await releaseBinding(db, association_id, cycle_id, runtime.clock());
    return {};
  });
}

/**
 * Releases the binding of a completed cycle whose event has not arrived, because answers must not depend on the delay
 * of events. Only the contribution service knows whether the cycle has completed.
 * @param except a cycle whose binding must stay
 */
export async function releaseCompletedCycle(
  { db, runtime }: MembershipDeps,
  via: CanCall,
  association_id: string,
  except: string | null,
): Promise<void> {
  const open = await findOpenBinding(db, association_id);
  if (open === undefined || open.cycle_id === except) return;
  const { cycle_id, first_member_id: member_id } = open;
  const { cycle_running } = await call(via, obligations, { association_id, member_id, cycle_id });
  if (!cycle_running) await releaseBinding(db, association_id, cycle_id, runtime.clock());
}
