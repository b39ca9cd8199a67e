import { lockAssociation, unlockAssociation } from '../../../lib/contracts/contribution.ts';
import { liftLock, lockIfEmpty } from '../../../lib/locks/locks.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findRemains } from './association.store.ts';

/** Locks an association for its closure, unless something in it is unfinished. Nothing new can begin in it afterwards. */
export function lockAssociationAction({ db }: ContributionDeps) {
  return implementCommand(lockAssociation, async ({ dry_run, association_id: subject, approval_id: owner_id }) => ({
    remains: await db.transaction((tx) =>
      lockIfEmpty(tx, { subject, owner_id }, () => findRemains(tx, subject), dry_run),
    ),
  }));
}

/** Unlocks an association whose closure has failed. */
export function unlockAssociationAction({ db }: ContributionDeps) {
  return implementCommand(unlockAssociation, async ({ association_id: subject, approval_id: owner_id }) => {
    await db.transaction((tx) => liftLock(tx, { subject, owner_id }));
    return { ok: true };
  });
}
