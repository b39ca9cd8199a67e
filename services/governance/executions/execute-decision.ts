import type { Approval } from '../../../lib/contracts/governance.ts';
import { faultOf } from '../../../lib/node/log.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import { idsOf } from '../../../lib/tracing/trace.ts';
import { readApproval } from '../approvals/approval.view.ts';
import type { GovernanceDeps } from '../deps.ts';
import { firstStep } from './execution.rules.ts';

/**
 * Executes what an answer says was decided, unless that was done before. If it cannot be executed now, recovery does it later.
 * @returns the approval, with the execution's outcome so far
 */
export async function executeDecision(
  { db, executions, runtime }: GovernanceDeps,
  ctx: CallContext,
  approval: Approval,
): Promise<Approval> {
  const { id, subject_type, status: decision, execution } = approval;
  const isExecuted = execution.status === 'done' || execution.status === 'failed';
  // A decision against the request is notified on each repeat, as `none` does not show whether it was before.
  const status = decision === 'pending' || isExecuted ? null : firstStep(subject_type, decision);
  if (status === null) return approval;
  try {
    // The row as the decision stored it, without reading it. If it has moved since, the first move loads it.
    await executions.run({ id, status, last_attempt_at: runtime.clock() }, { via: ctx, isRecovery: false });
  } catch (error) {
    const fields = { approval_id: id, ...idsOf(ctx), ...faultOf(error) };
    ctx.service?.logger.warn('an approval could not be executed yet', fields);
  }
  return execution.status === 'pending' ? readApproval(db, id) : approval;
}
