/** Commands with which membership ends an association or a membership that holds nothing in the treasury any more. */
import {
  lockAssociation,
  lockMembership,
  obligations,
  unlockAssociation,
  unlockMembership,
} from '../../../lib/contracts/treasury.ts';
import { liftLock, lockIfEmpty, membershipSubject } from '../../../lib/locks/locks.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { hasObligations, readRemains } from './association.store.ts';

/** Returns whether a cash deposit or distribution of the member awaits its decision or execution. */
export const obligationsAction = ({ reads }: TreasuryDeps) =>
  implementCommand(obligations, async ({ association_id, member_id }) => ({
    pending: await hasObligations(reads, association_id, member_id),
  }));

/** Prevents new requests in an association that will be closed, if it holds nothing in the treasury. */
export const lockAssociationAction = ({ db }: TreasuryDeps) =>
  implementCommand(lockAssociation, async ({ dry_run, association_id: subject, approval_id: owner_id }) => ({
    remains: await db.transaction((tx) =>
      lockIfEmpty(tx, { subject, owner_id }, () => readRemains(tx, subject), dry_run),
    ),
  }));

/** Allows requests again in an association whose closure has failed. */
export const unlockAssociationAction = ({ db }: TreasuryDeps) =>
  implementCommand(unlockAssociation, async ({ association_id: subject, approval_id: owner_id }) => {
    await db.transaction((tx) => liftLock(tx, { subject, owner_id }));
    return { ok: true };
  });

/** Prevents cash deposits and distributions for a member who is leaving, if none is open. */
export const lockMembershipAction = ({ db }: TreasuryDeps) =>
  implementCommand(lockMembership, async ({ association_id, departure_id: owner_id, ...membership }) => {
    const lock = { subject: membershipSubject(membership), owner_id };
    const remains = await db.transaction((tx) =>
      lockIfEmpty(tx, lock, async () =>
        (await hasObligations(tx, association_id, membership.member_id)) ? 'something' : 'nothing',
      ),
    );
    return { locked: remains === 'nothing' };
  });

/** Allows a member's cash deposits and distributions again after their departure has failed. */
export const unlockMembershipAction = ({ db }: TreasuryDeps) =>
  implementCommand(unlockMembership, async ({ departure_id: owner_id, ...membership }) => {
    await db.transaction((tx) => liftLock(tx, { subject: membershipSubject(membership), owner_id }));
    return { ok: true };
  });
