import type { ActionSchema } from 'moleculer';
import { implement } from '../../../lib/actions/implement.ts';
import { getAssociation } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { presentAssociation } from '../domain/presentation.ts';
import { findAssociation } from '../persistence/associations.ts';
import { findMember } from '../persistence/members.ts';
import type { MembershipDeps } from '../deps.ts';

/** An association, for its members and, where it is public, for everybody. */
export function getAssociationAction({ foundation }: MembershipDeps): ActionSchema {
  const { manager } = foundation.db;
  return implement(getAssociation, async ({ path }, { user_id }) => {
    const [association, member] = await Promise.all([
      findAssociation(manager, path.association_id),
      findMember(manager, path.association_id, user_id),
    ]);
    const viewer = member?.status === 'active' ? member : null;
    if (association === null || (viewer === null && !association.is_public)) throw problem('not_found');
    return presentAssociation(association, viewer);
  });
}
