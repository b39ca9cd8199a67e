import type { ActionSchema } from 'moleculer';
import { implement } from '../../../lib/service/implement.ts';
import { getAssociation } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { presentAssociation } from './association.view.ts';
import { findViewed } from './viewed-association.store.ts';
import type { MembershipDeps } from '../deps.ts';

/** An association, for its members and, where it is public, for everybody. */
export function getAssociationAction({ foundation }: MembershipDeps): ActionSchema {
  return implement(getAssociation, async ({ path }, { user_id }) => {
    const found = await findViewed(foundation.db.pool, path.association_id, user_id);
    if (found === null) throw problem('not_found');
    return presentAssociation(found.association, found.viewer);
  });
}
