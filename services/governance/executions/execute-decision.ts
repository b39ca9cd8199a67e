import type { Approval } from '../../../lib/contracts/governance.ts';
import { faultOf } from '../../../lib/node/log.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import { idsOf } from '../../../lib/tracing/trace.ts';
import { currentApproval } from '../approvals/approval.view.ts';
import type { GovernanceDeps } from '../deps.ts';
import { firstStep } from './execution.rules.ts';

/**
 * Executes a decision, unless that was done before. If it cannot be executed now, recovery does it later.
 * @returns the approval, with the execution's outcome so far
 */
export async function executeDecision(
  { db, executions, runtime }: GovernanceDeps,
  ctx: CallContext,
  approval: Approval,
): Promise<Approval> {
  const { id, subject_type, status: decision } = approval;
  const status = decision === 'pending' ? null : firstStep(subject_type, decision);
  if (status === null || !isUnexecuted(approval)) return approval;
  try {
    // As the decision has stored it: a run that finds it further loads what it has become.
    await executions.run({ id, status, last_attempt_at: runtime.clock() }, { via: ctx, isRecovery: false });
  } catch (error) {
    const fields = { approval_id: id, ...idsOf(ctx), ...faultOf(error) };
    ctx.service?.logger.warn('an approval could not be executed yet', fields);
  }
  return approval.execution.status === 'pending' ? currentApproval(db, id) : approval;
}

/** Whether its owner may not have been notified yet. To notify it twice does no harm. */
function isUnexecuted({ execution }: Approval): boolean {
  return execution.status === 'pending' || execution.status === 'none';
}
