import { implementCommand } from '../../../lib/service/implement.ts';
import { lockMembership, unlockMembership } from '../../../lib/contracts/treasury.ts';
import { liftLock, lockIfEmpty, membershipSubject } from '../../../lib/locks/locks.ts';
import type { TreasuryDeps } from '../deps.ts';
import { hasObligations } from './obligations.store.ts';

/** Lets no cash deposit or distribution begin for a member who is to go, if none is open. */
export const lockMembershipAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(lockMembership, async ({ association_id, departure_id: owner_id, ...membership }) => {
    const lock = { subject: membershipSubject(membership), owner_id };
    const remains = await foundation.transaction((manager) =>
      lockIfEmpty(manager, lock, async () =>
        (await hasObligations(manager, association_id, membership.member_id)) ? 'something' : 'nothing',
      ),
    );
    return { locked: remains === 'nothing' };
  });

/** Lets them begin again: the departure has failed. */
export const unlockMembershipAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(unlockMembership, async ({ departure_id: owner_id, ...membership }) => {
    const lock = { subject: membershipSubject(membership), owner_id };
    await foundation.transaction((manager) => liftLock(manager, lock));
    return { ok: true };
  });
