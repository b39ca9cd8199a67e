import type { ActionSchema } from 'moleculer';
import {
  lockAssociation,
  lockMembership,
  unlockAssociation,
  unlockMembership,
} from '../../../lib/contracts/contribution.ts';
import { takeSubject } from '../../../lib/locks/advisory.ts';
import { liftLock, lockIfEmpty, membershipSubject } from '../../../lib/locks/locks.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findRemains, isOnSubmittedSheet } from './association.store.ts';

/** The actions with which membership ends an association or a membership. */
export function lockActions(deps: ContributionDeps): Record<string, ActionSchema> {
  return {
    lock_association: lockAssociationAction(deps),
    unlock_association: unlockAssociationAction(deps),
    lock_membership: lockMembershipAction(deps),
    unlock_membership: unlockMembershipAction(deps),
  };
}

/** Locks an association for its closure, unless something in it is unfinished. Nothing new can begin in it afterwards. */
function lockAssociationAction({ db }: ContributionDeps) {
  return implementCommand(lockAssociation, async ({ dry_run, association_id: subject, approval_id: owner_id }) => ({
    remains: await db.transaction((tx) =>
      lockIfEmpty(tx, { subject, owner_id }, () => findRemains(tx, subject), dry_run),
    ),
  }));
}

/** Unlocks an association whose closure has failed. */
function unlockAssociationAction({ db }: ContributionDeps) {
  return implementCommand(unlockAssociation, async ({ association_id: subject, approval_id: owner_id }) => {
    await db.transaction((tx) => liftLock(tx, { subject, owner_id }));
    return { ok: true };
  });
}

/** Prevents sheets with a member who is leaving, and manual fines of them, unless a submitted sheet names them. */
function lockMembershipAction({ db }: ContributionDeps) {
  return implementCommand(lockMembership, async ({ association_id, departure_id: owner_id, ...membership }) => {
    const lock = { subject: membershipSubject(membership), owner_id };
    const remains = await db.transaction(async (tx) => {
      // Sheets have too many members for a lock of each, and share that of the association.
      await takeSubject(tx, association_id);
      return lockIfEmpty(tx, lock, async () =>
        (await isOnSubmittedSheet(tx, association_id, membership.member_id)) ? 'something' : 'nothing',
      );
    });
    return { locked: remains === 'nothing' };
  });
}

/** Allows sheets with the member and manual fines again after their departure has failed. */
function unlockMembershipAction({ db }: ContributionDeps) {
  return implementCommand(unlockMembership, async ({ departure_id: owner_id, ...membership }) => {
    await db.transaction((tx) => liftLock(tx, { subject: membershipSubject(membership), owner_id }));
    return { ok: true };
  });
}
