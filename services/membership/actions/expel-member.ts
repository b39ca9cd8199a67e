import { problem } from '../../../lib/errors/problem.ts';
import { standingOf } from '../domain/association.ts';
import { expulsionRefusal } from '../domain/expulsion.ts';
import { countMembers } from '../persistence/associations.ts';
import { cycleBinding } from '../persistence/cycle-bindings.ts';
import { lockMemberById, updateMember } from '../persistence/members.ts';
import type { Change } from './change.ts';

/**
 * A member is expelled: what he has, and what he owes, stays his. The binding of a cycle that has completed is to be
 * dropped before. Refuses with association_closed, not_found, president_cannot_leave, member_has_obligations.
 */
export const expelMember: Change<'expulsion'> = async ({ foundation, manager, association }, { member_id }) => {
  const association_id = association.id;
  if (standingOf(association) === 'closed') throw problem('association_closed');
  const member = await lockMemberById(manager, association_id, member_id);
  const isBound = (await cycleBinding(manager, association_id, member_id)) !== null;
  const refused = expulsionRefusal(member, isBound);
  if (refused !== null) throw problem(refused);
  if (member === null) throw problem('not_found');
  const { user_id } = member;
  return async (approval_id) => {
    await updateMember(manager, member_id, { status: 'expelled' });
    await countMembers(manager, association_id, -1);
    const data = { member_id, user_id, approval_id };
    await foundation.outbox.append(manager, { type: 'member.expelled', association_id, data });
  };
};
