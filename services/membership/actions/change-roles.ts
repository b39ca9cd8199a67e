import { problem } from '../../../lib/errors/problem.ts';
import { planRoleChange } from '../domain/role-change.ts';
import { lockMemberById, lockPresident, updateMember } from '../members/member.store.ts';
import type { Change } from './change.ts';

/**
 * A member gets another role; whoever becomes president takes over from the old one in the same step.
 * Refuses with not_found, association_closed, president_cannot_leave.
 */
export const changeRoles: Change<'role_change'> = async ({ foundation, manager, association }, { member_id, role }) => {
  const association_id = association.id;
  const president = await lockPresident(manager, association_id);
  const target = await lockMemberById(manager, association_id, member_id);
  const plan = planRoleChange(association.status, target, role, president);
  if ('refused' in plan) throw problem(plan.refused);
  return async (approval_id) => {
    for (const { member_id: id, from, to } of plan.changes) {
      await updateMember(manager, id, { role: to });
      const data = { member_id: id, from, to, approval_id };
      await foundation.outbox.append(manager, { type: 'member.role_changed', association_id, data });
    }
  };
};
