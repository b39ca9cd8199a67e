/** The endpoints that read associations. Each answer needs one statement. */
import type { ActionSchema } from 'moleculer';
import { getAssociation, listPublicAssociations, myAssociations } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { MembershipDeps } from '../deps.ts';
import { findViewed, listOwn, listPublic } from './association.store.ts';
import { showAssociation } from './association.view.ts';
import { searchWords } from './search-text.rules.ts';

/** Reads an association, for its members and, if it is public, for all users. */
export function getAssociationAction({ reads }: MembershipDeps): ActionSchema {
  return implement(getAssociation, async ({ path }, { user_id }) => {
    const found = await findViewed(reads, path.association_id, user_id);
    if (found === undefined) throw problem('not_found');
    return showAssociation(found.association, found.viewer);
  });
}

/** Lists the associations with the caller as an active member, the newest membership first. */
export function myAssociationsAction({ reads, cursors }: MembershipDeps): ActionSchema {
  return implement(myAssociations, ({ query }, { user_id }) =>
    pageThrough(
      cursors,
      `my_associations/${user_id}`,
      query,
      (after, limit) => listOwn(reads, user_id, after, limit),
      ({ viewer }) => [viewer.joined_at.toISOString(), viewer.id],
      ({ association, viewer }) => showAssociation(association, viewer),
    ),
  );
}

/** Lists the public directory: active public associations, the newest first. */
export function listPublicAssociationsAction({ reads, cursors }: MembershipDeps): ActionSchema {
  return implement(listPublicAssociations, ({ query }, { user_id }) => {
    const { q = '', type = null, currency = null, contribution_frequency = null } = query;
    const words = searchWords(q);
    return pageThrough(
      cursors,
      `directory/${JSON.stringify([words, type, currency, contribution_frequency])}`,
      query,
      (after, rows) => listPublic(reads, user_id, { words, type, currency, contribution_frequency }, after, rows),
      ({ association }) => [association.created_at.toISOString(), association.id],
      ({ association, viewer }) => showAssociation(association, viewer),
    );
  });
}
