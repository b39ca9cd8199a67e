import type { Correction as CorrectionAnswer } from '../../../lib/contracts/treasury.ts';
import { CORRECTION_STATES, type Correction } from './correction.table.ts';

/** Returns the correction as members of the association see it. */
export function showCorrection(correction: Correction): CorrectionAnswer {
  const { id, association_id, transfer_id, reason, approval_id, requested_by_member_id, status } = correction;
  return {
    id,
    association_id,
    transfer_id,
    reason,
    status: CORRECTION_STATES[status].shown ?? 'pending_approval',
    error: status === 'failed' ? (correction.refusal?.code ?? null) : null,
    approval_id,
    requested_by_member_id,
    requested_at: correction.requested_at.toISOString(),
    reversal_transfer_id: status === 'done' ? id : null,
    decided_at: correction.decided_at?.toISOString() ?? null,
  };
}
