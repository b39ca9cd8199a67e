import type { ActionSchema } from 'moleculer';
import type { EntityManager } from 'typeorm';
import { implementCommand } from '../../../lib/actions/implement.ts';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import { executeApproval } from '../../../lib/contracts/membership.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { AssociationRecord } from '../domain/association.ts';
import { planRoleChange, readRoleChange } from '../domain/role-change.ts';
import { lockAssociation } from '../persistence/associations.ts';
import { findOutcome, insertOutcome } from '../persistence/executed-approvals.ts';
import { lockMemberById, lockPresident, updateMember } from '../persistence/members.ts';
import type { MembershipDeps } from '../deps.ts';

const DONE: ExecutionOutcome = { status: 'done', error: null };
const failed = (error: ErrorCode): ExecutionOutcome => ({ status: 'failed', error });

/**
 * Carries out an approved role change. The outcome is stored under the approval's id in the transaction of the change,
 * so that a repeat gives it again and changes nothing.
 */
export function executeApprovalAction({ foundation }: MembershipDeps): ActionSchema {
  const { outbox, runtime } = foundation;

  async function changeRoles(
    manager: EntityManager,
    association: AssociationRecord,
    approval_id: string,
    payload: Record<string, unknown>,
  ): Promise<ExecutionOutcome> {
    const wanted = readRoleChange(payload);
    if (wanted === null) return failed('validation_failed');
    const association_id = association.id;
    const president = await lockPresident(manager, association_id);
    const target = await lockMemberById(manager, association_id, wanted.member_id);
    const plan = planRoleChange(association.status, target, wanted.role, president);
    if ('refused' in plan) return failed(plan.refused);
    for (const { member_id, from, to } of plan.changes) {
      await updateMember(manager, member_id, { role: to });
      const data = { member_id, from, to, approval_id };
      await outbox.append(manager, { type: 'member.role_changed', association_id, data });
    }
    return DONE;
  }

  return implementCommand(executeApproval, (input) => {
    const { approval_id, association_id, decision, subject_type, payload } = input;
    return foundation.transaction(async (manager) => {
      const association = await lockAssociation(manager, association_id);
      if (association === null) throw problem('not_found');
      const before = await findOutcome(manager, approval_id);
      if (before !== null) return before;
      const changesRoles = decision === 'approved' && subject_type === 'role_change';
      const outcome = changesRoles ? await changeRoles(manager, association, approval_id, payload) : DONE;
      await insertOutcome(manager, { approval_id, association_id }, outcome, runtime.clock());
      return outcome;
    });
  });
}
