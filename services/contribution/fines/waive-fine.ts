import type { CommandInput } from '../../../lib/contracts/action.ts';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { executeApproval } from '../../../lib/contracts/contribution.ts';
import { readProposalPayload } from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { DONE, failure } from '../approvals/outcome.rules.ts';
import type { ContributionDeps } from '../deps.ts';
import { isBeingPaid, lockFine, storeWaiver } from './fine.store.ts';
import { FINE_STATES } from './fine.table.ts';
import { fineFactOf } from './fine.view.ts';

/**
 * Waives the rest of a fine, as the board has approved. A repeat changes nothing.
 * @throws service_unavailable while a payment of the fine has no outcome yet: governance tries again
 */
export function waiveFine(
  { db, outbox }: ContributionDeps,
  { approval_id, association_id, payload }: CommandInput<typeof executeApproval>,
): Promise<ExecutionOutcome> {
  const { fine_id } = readProposalPayload('fine_waiver', payload);
  return db.transaction(async (tx) => {
    const fine = await lockFine(tx, fine_id);
    if (fine.association_id !== association_id) return failure('not_found');
    if (fine.waived_by_approval_id === approval_id) return DONE;
    if (!FINE_STATES[fine.status].obliges) return failure('fine_not_due');
    if (await isBeingPaid(tx, fine_id)) throw problem('service_unavailable');
    // The cash of a meeting sheet may wait for its approval for days.
    if (fine.taken_minor > fine.paid_minor) return failure('contributions_in_flight');
    storeWaiver(tx, fine_id, approval_id);
    const waived_minor = Number(fine.amount_minor - fine.paid_minor);
    const data = { ...fineFactOf(fine), waived_minor, currency: fine.currency, approval_id };
    outbox.append(tx, { type: 'fine.waived', association_id, data });
    return DONE;
  });
}
