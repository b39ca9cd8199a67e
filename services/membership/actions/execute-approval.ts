import type { ActionSchema } from 'moleculer';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import { readProposalPayload } from '../../../lib/contracts/governance.ts';
import { executeApproval } from '../../../lib/contracts/membership.ts';
import { ERRORS } from '../../../lib/errors/codes.ts';
import { problem, problemCode } from '../../../lib/errors/problem.ts';
import { lockAssociation } from '../persistence/associations.ts';
import { findOutcome, insertOutcome } from '../persistence/executed-approvals.ts';
import { end } from '../sagas/ending.ts';
import type { MembershipDeps } from '../deps.ts';
import type { ChangeScope } from './change.ts';
import { planChange } from './plan-change.ts';

const DONE: ExecutionOutcome = { status: 'done', error: null };

/**
 * Carries out an approved proposal. The outcome is stored under the approval's id in the transaction of the change, so
 * that a repeat gives it again and changes nothing.
 */
export function executeApprovalAction(deps: MembershipDeps): ActionSchema {
  const { foundation } = deps;
  return implementCommand(executeApproval, async (input, ctx) => {
    const { approval_id, association_id, subject_type } = input;
    const isApproved = input.decision === 'approved';
    const ending = { id: approval_id, association_id };
    if (isApproved && subject_type === 'closure') {
      return end(deps, ctx, { ...ending, kind: subject_type, member_id: null });
    }
    if (isApproved && subject_type === 'expulsion') {
      const { member_id } = readProposalPayload(subject_type, input.payload);
      return end(deps, ctx, { ...ending, kind: subject_type, member_id });
    }

    return foundation.transaction(async (manager) => {
      const association = await lockAssociation(manager, association_id);
      if (association === null) throw problem('not_found');
      const before = await findOutcome(manager, approval_id);
      if (before !== null) return before;
      const outcome = isApproved ? await carryOut({ foundation, manager, association }, input) : DONE;
      await insertOutcome(manager, { approval_id, association_id }, outcome, foundation.runtime.clock());
      return outcome;
    });
  });
}

/** Does what was approved, or says why it can never be. */
async function carryOut(
  scope: ChangeScope,
  { approval_id, subject_type, payload }: CommandInput<typeof executeApproval>,
): Promise<ExecutionOutcome> {
  try {
    const apply = await planChange(scope, subject_type, payload);
    await apply(approval_id);
    return DONE;
  } catch (error) {
    // Plans refuse before anything is written: there is nothing to roll back.
    const code = problemCode(error);
    if (code === undefined || ERRORS[code].status >= 500) throw error;
    return { status: 'failed', error: code };
  }
}
