import type { CallContext } from '../../../lib/actions/implement.ts';
import type { Approval } from '../../../lib/contracts/governance.ts';
import { faultOf } from '../../../lib/node/log.ts';
import { idsOf } from '../../../lib/tracing/trace.ts';
import type { GovernanceDeps } from '../deps.ts';
import { tellOwner } from '../sagas/tell-owner.ts';
import { currentApproval, loadApproval } from './show.ts';

/**
 * Has what was decided carried out, if it is decided and has not been yet.
 * @param wait_ms waits at most this long; after that it is the sweeper's
 * @returns the approval, with what has come of its execution so far
 */
export async function carryOut(
  deps: GovernanceDeps,
  ctx: CallContext,
  approval: Approval,
  wait_ms: number,
): Promise<Approval> {
  const { manager } = deps.foundation.db;
  const { association_id, id } = approval;
  if (approval.status === 'pending') return approval;
  const row = await loadApproval(manager, association_id, id);
  const failure = await tellOwner(deps, ctx, row, approval.status, wait_ms);
  if (failure !== undefined) {
    const fields = { approval_id: id, ...idsOf(ctx), ...faultOf(failure) };
    ctx.service?.logger.warn('the owner of an approval could not be told yet', fields);
  }
  return approval.execution.status === 'pending' ? currentApproval(manager, id) : approval;
}
