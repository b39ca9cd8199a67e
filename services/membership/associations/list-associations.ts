import type { ActionSchema } from 'moleculer';
import { implement } from '../../../lib/service/implement.ts';
import { listPublicAssociations } from '../../../lib/contracts/membership.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { Position } from '../../../lib/paging/cursors.ts';
import { presentAssociation } from './association.view.ts';
import { searchWords } from './search-text.rules.ts';
import { listPublic } from '../persistence/directory.ts';
import type { DirectoryFilter } from '../persistence/directory.ts';
import type { MembershipDeps } from '../deps.ts';

/** The public directory: active public associations, the newest first. */
export function listPublicAssociationsAction({ foundation }: MembershipDeps): ActionSchema {
  const { db, cursors } = foundation;
  return implement(listPublicAssociations, ({ query }, { user_id }) => {
    const { q = '', limit, cursor, ...filters } = query;
    const filter: DirectoryFilter = { ...filters, words: searchWords(q) };
    const { words, type = null, currency = null, contribution_frequency = null } = filter;
    return pageThrough(
      cursors,
      `directory/${JSON.stringify([words, type, currency, contribution_frequency])}`,
      { limit, ...(cursor === undefined ? {} : { cursor }) },
      (after, rows) => listPublic(db.manager, user_id, filter, positionOf(after), rows),
      ({ association }) => [association.created_at.toISOString(), association.id],
      ({ association, viewer }) => presentAssociation(association, viewer),
    );
  });
}

function positionOf(position: Position | null): { created_at: string; id: string } | null {
  if (position === null) return null;
  const [created_at = '', id = ''] = position;
  return { created_at, id };
}
