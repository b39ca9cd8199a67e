import type { Approval } from '../../../lib/contracts/governance.ts';
import { faultOf } from '../../../lib/node/log.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import { idsOf } from '../../../lib/tracing/trace.ts';
import { currentApproval } from '../approvals/approval.view.ts';
import type { GovernanceDeps } from '../deps.ts';

/**
 * Has what was decided executed, if that has not been done. Where it cannot be done now, recovery goes on.
 * @returns the approval, with what has come of its execution so far
 */
export async function executeDecision(
  { db, executions }: GovernanceDeps,
  ctx: CallContext,
  approval: Approval,
): Promise<Approval> {
  const { id } = approval;
  const execution = approval.status === 'pending' ? null : await executions.find(id);
  if (execution === null) return approval;
  try {
    await executions.run(execution, { via: ctx, isRecovery: false });
  } catch (error) {
    const fields = { approval_id: id, ...idsOf(ctx), ...faultOf(error) };
    ctx.service?.logger.warn('the owner of an approval could not be told yet', fields);
  }
  return approval.execution.status === 'pending' ? currentApproval(db, id) : approval;
}
