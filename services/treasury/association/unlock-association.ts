import { implementCommand } from '../../../lib/service/implement.ts';
import { unlockAssociation } from '../../../lib/contracts/treasury.ts';
import { liftLock } from '../../../lib/locks/locks.ts';
import type { TreasuryDeps } from '../deps.ts';

/** Opens the treasury again after a closure that failed elsewhere. */
export const unlockAssociationAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(unlockAssociation, async ({ association_id: subject, approval_id: owner_id }) => {
    await foundation.transaction((manager) => liftLock(manager, { subject, owner_id }));
    return { ok: true };
  });
