import { implementCommand } from '../../../lib/service/implement.ts';
import { lockAssociation } from '../../../lib/contracts/treasury.ts';
import { lockIfEmpty } from '../../../lib/locks/locks.ts';
import type { TreasuryDeps } from '../deps.ts';
import { remainsOf } from './association.store.ts';

/** Closes the treasury of an association that holds nothing, to all new requests. */
export const lockAssociationAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(lockAssociation, async ({ dry_run, association_id: subject, approval_id: owner_id }) => ({
    remains: await foundation.transaction((manager) =>
      lockIfEmpty(manager, { subject, owner_id }, () => remainsOf(manager, subject), dry_run),
    ),
  }));
