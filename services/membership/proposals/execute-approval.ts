import type { ActionSchema } from 'moleculer';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import { readProposalPayload } from '../../../lib/contracts/governance.ts';
import { executeApproval } from '../../../lib/contracts/membership.ts';
import { callFailure, problemCode } from '../../../lib/errors/problem.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import { lockAssociation } from '../associations/association.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { endByApproval } from '../endings/begin-ending.ts';
import { DONE, findOutcome, insertOutcome } from '../endings/ending.store.ts';
import { prepareChange, type ChangeScope } from './plan-change.ts';

/**
 * Carries out an approved proposal. The transaction of the change stores the outcome under the approval's id, so that a
 * repeat returns it and changes nothing.
 */
export function executeApprovalAction(deps: MembershipDeps): ActionSchema {
  const { db, outbox, runtime } = deps;
  return implementCommand(executeApproval, async (input, ctx) => {
    const { approval_id, association_id, subject_type: kind, payload } = input;
    const isApproved = input.decision === 'approved';
    if (isApproved && (kind === 'closure' || kind === 'expulsion')) {
      const member_id = kind === 'closure' ? null : readProposalPayload(kind, payload).member_id;
      return endByApproval(deps, ctx, { id: approval_id, association_id, kind, member_id });
    }
    return db.transaction(async (tx) => {
      const association = await lockAssociation(tx, association_id);
      const before = await findOutcome(tx, approval_id);
      if (before !== null) return before;
      const outcome = isApproved ? await carryOut({ outbox, tx, association }, input) : DONE;
      await insertOutcome(tx, { approval_id, association_id }, outcome, runtime.clock());
      return outcome;
    });
  });
}

/** Carries out the approved change, or returns why it was refused. */
async function carryOut(
  scope: ChangeScope,
  { approval_id, subject_type, payload }: CommandInput<typeof executeApproval>,
): Promise<ExecutionOutcome> {
  try {
    const apply = await prepareChange(scope, subject_type, payload);
    await apply(approval_id);
    return DONE;
  } catch (error) {
    // A change is refused before it writes, so the transaction can commit the outcome.
    if (callFailure(error) !== 'refused') throw error;
    return { status: 'failed', error: problemCode(error) ?? null };
  }
}
