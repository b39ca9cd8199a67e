import type { ActionSchema } from 'moleculer';
import { call } from '../../../lib/actions/call.ts';
import { implementWrite } from '../../../lib/actions/implement-write.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import { obligations as contributionObligations } from '../../../lib/contracts/contribution.ts';
import { leaveAssociation } from '../../../lib/contracts/membership.ts';
import { obligations as treasuryObligations } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Foundation } from '../../../lib/service/foundation.ts';
import { closedRefusal } from '../domain/access.ts';
import { standingOf } from '../domain/association.ts';
import { countMembers } from '../persistence/associations.ts';
import { cycleBinding, releaseBinding } from '../persistence/cycle-bindings.ts';
import { findAuthorized } from '../persistence/find-authorized.ts';
import { updateMember } from '../persistence/members.ts';
import type { MembershipDeps } from '../deps.ts';
import { lockOwnMembership } from './own-membership.ts';

/** Leaves an association, for who owes it nothing and awaits nothing from it. */
export function leaveAssociationAction({ foundation }: MembershipDeps): ActionSchema {
  const { db, outbox } = foundation;
  return implementWrite(foundation, leaveAssociation, async ({ path }, { user_id }, ctx, operation) => {
    const { association_id } = path;
    const found = await findAuthorized(db.pool, association_id, user_id);
    if (found === null) throw problem('not_found');
    const closed = closedRefusal('change_own_membership', standingOf(found.association));
    if (closed !== null) throw closed;
    if (found.member.role === 'president') throw problem('president_cannot_leave');
    if (await hasObligations(foundation, ctx, association_id, found.member.id)) throw problem('member_has_obligations');

    await foundation.transaction(async (manager) => {
      const { member } = await lockOwnMembership(manager, association_id, user_id, 'change_own_membership');
      // Meanwhile he may have become president, or a cycle may have begun.
      if (member.role === 'president') throw problem('president_cannot_leave');
      const bound = await cycleBinding(manager, association_id, member.id);
      if (bound !== null) throw problem('member_has_obligations');
      await updateMember(manager, member.id, { status: 'left' });
      await countMembers(manager, association_id, -1);
      const data = { member_id: member.id, user_id };
      await outbox.append(manager, { type: 'member.left', association_id, data });
      await operation.answered(manager, {});
    });
    return {};
  });
}

/** A running cycle, arrears, or a cash deposit or distribution that awaits its decision. */
async function hasObligations(
  { db, runtime }: Foundation,
  ctx: CallContext,
  association_id: string,
  member_id: string,
): Promise<boolean> {
  const cycle_id = await cycleBinding(db.manager, association_id, member_id);
  const of = { association_id, member_id };
  const [contribution, treasury] = await Promise.all([
    call(ctx, contributionObligations, { ...of, cycle_id }),
    call(ctx, treasuryObligations, of),
  ]);
  if (contribution.cycle_running || contribution.has_arrears || treasury.pending) return true;
  // The cycle has completed; the event that says so is still on its way.
  if (cycle_id !== null) await releaseBinding(db.manager, association_id, cycle_id, runtime.clock());
  return false;
}
