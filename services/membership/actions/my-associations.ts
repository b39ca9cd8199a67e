import type { ActionSchema } from 'moleculer';
import { implement } from '../../../lib/service/implement.ts';
import { myAssociations } from '../../../lib/contracts/membership.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { presentAssociation } from '../associations/association.view.ts';
import { listMemberships } from '../associations/viewed-association.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { memberPosition, positionOf } from './member-position.ts';

/** The associations that the caller is an active member of, the newest membership first. */
export function myAssociationsAction({ foundation }: MembershipDeps): ActionSchema {
  const { db, cursors } = foundation;
  return implement(myAssociations, ({ query }, { user_id }) =>
    pageThrough(
      cursors,
      `my_associations/${user_id}`,
      query,
      (after, limit) => listMemberships(db.pool, user_id, memberPosition(after), limit),
      ({ member }) => positionOf(member),
      ({ association, member }) => presentAssociation(association, member),
    ),
  );
}
