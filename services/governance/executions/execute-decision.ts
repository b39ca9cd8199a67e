import type { Approval } from '../../../lib/contracts/governance.ts';
import { faultOf } from '../../../lib/errors/fault.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import { readApproval } from '../approvals/approval.view.ts';
import type { GovernanceDeps } from '../deps.ts';
import { firstStep } from './execution.rules.ts';

/**
 * Executes the decision of an approval, unless it was executed before. If it cannot be executed now, recovery executes it
 * later.
 * @returns the approval with the current state of the execution
 */
export async function executeDecision(
  { db, executions, runtime }: GovernanceDeps,
  ctx: CallContext,
  approval: Approval,
): Promise<Approval> {
  const { id, subject_type, status: decision, execution } = approval;
  const isExecuted = execution.status === 'done' || execution.status === 'failed';
  // Status `none` cannot tell whether the owner was already notified, so a repeat notifies again.
  const status = decision === 'pending' || isExecuted ? null : firstStep(subject_type, decision);
  if (status === null) return approval;
  try {
    // Not read, but as the decision stored it. If it has moved since then, storing the first move loads the row.
    await executions.run({ id, status, last_attempt_at: runtime.clock() }, { via: ctx, isRecovery: false });
  } catch (error) {
    const fields = { approval_id: id, ...faultOf(error) };
    ctx.service?.logger.warn('an approval could not be executed yet', fields);
  }
  return execution.status === 'pending' ? readApproval(db, id) : approval;
}
