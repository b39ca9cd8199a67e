import { implementCommand } from '../../../lib/service/implement.ts';
import { lockAssociation } from '../../../lib/contracts/contribution.ts';
import { lockIfEmpty } from '../../../lib/locks/locks.ts';
import type { ContributionDeps } from '../deps.ts';
import { remainsOf } from './association.store.ts';

/** Lets nothing new begin in an association that is to be closed, if nothing is open in it. */
export function lockAssociationAction({ foundation }: ContributionDeps) {
  return implementCommand(lockAssociation, async ({ dry_run, association_id: subject, approval_id: owner_id }) => ({
    remains: await foundation.transaction((manager) =>
      lockIfEmpty(manager, { subject, owner_id }, () => remainsOf(manager, subject), dry_run),
    ),
  }));
}
