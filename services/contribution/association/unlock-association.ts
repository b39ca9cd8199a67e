import { implementCommand } from '../../../lib/service/implement.ts';
import { unlockAssociation } from '../../../lib/contracts/contribution.ts';
import { liftLock } from '../../../lib/locks/locks.ts';
import type { ContributionDeps } from '../deps.ts';

/** Opens an association again whose closure has failed. */
export function unlockAssociationAction({ foundation }: ContributionDeps) {
  return implementCommand(unlockAssociation, async ({ association_id: subject, approval_id: owner_id }) => {
    await foundation.transaction((manager) => liftLock(manager, { subject, owner_id }));
    return { ok: true };
  });
}
