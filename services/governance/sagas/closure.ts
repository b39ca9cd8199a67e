import { takeSubject } from '../../../lib/locks/advisory.ts';
import type { GovernanceDeps } from '../deps.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { findApproval, hasPending, lockApproval, storeOutcome } from '../persistence/approvals.ts';
import { insertSeal, sealOf } from '../persistence/seals.ts';

/**
 * Makes sure, before an approved closure is carried out, that no other approval of the association is pending and that
 * none can be opened meanwhile; where one is, the closure has failed with that (contract, "Governance"). Repeatable.
 * @returns `sealed`: it may be carried out; `over`: its outcome is stored
 * @throws Error while another closure of the same association is being carried out
 */
export function prepareClosure({ foundation }: GovernanceDeps, closure: ApprovalRow): Promise<'sealed' | 'over'> {
  const { association_id, id } = closure;
  return foundation.transaction(async (manager) => {
    await takeSubject(manager, association_id);
    // Two may be carrying it out at once: the one who comes after its end must not seal for ever.
    const locked = await lockApproval(manager, id);
    if (locked?.owner_told_at !== null) return 'over';
    const seal = await sealOf(manager, association_id);
    if (seal?.approval_id === id) return 'sealed';
    const now = foundation.runtime.clock();
    if (seal !== null) {
      const other = await findApproval(manager, seal.approval_id);
      if (other?.execution_status !== 'done')
        throw new Error('another closure of the association is being carried out');
      await storeOutcome(manager, id, { status: 'failed', error: 'association_closed' }, now);
      return 'over';
    }
    if (await hasPending(manager, association_id, id, now)) {
      await storeOutcome(manager, id, { status: 'failed', error: 'association_not_empty' }, now);
      return 'over';
    }
    await insertSeal(manager, association_id, id, now);
    return 'sealed';
  });
}
