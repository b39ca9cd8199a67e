import type { ActionSchema } from 'moleculer';
import { board, listMembers, roster } from '../../../lib/contracts/membership.ts';
import { BOARD, ROLES, type Role } from '../../../lib/contracts/permissions.ts';
import type { Db } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { implement, implementCommand } from '../../../lib/service/implement.ts';
import { loadAssociation } from '../associations/association.store.ts';
import { termsOf } from '../associations/association.view.ts';
import type { MembershipDeps } from '../deps.ts';
import { listActive, listSeenMembers } from './member.store.ts';
import { referenceOf, showMember } from './member.view.ts';

/** Lists the members in join order. Former members are included unless `status` excludes them. */
export function listMembersAction({ reads, cursors }: MembershipDeps): ActionSchema {
  return implement(listMembers, ({ path: { association_id }, query }, { user_id }) => {
    const { role = null, status = null } = query;
    return pageThrough(
      cursors,
      `members/${association_id}/${role ?? ''}/${status ?? ''}`,
      query,
      async (after, limit) => {
        const seen = await listSeenMembers(reads, { association_id, user_id }, { role, status }, after, limit);
        if (seen === undefined) throw problem('not_found');
        return seen.listed.map((member) => showMember(member, seen.reader));
      },
      ({ joined_at, id }) => [joined_at, id],
      (member) => member,
    );
  });
}

/** Returns all active members, for other services. */
export function rosterAction({ reads }: MembershipDeps): ActionSchema {
  return implementCommand(roster, async ({ association_id }) => {
    const { terms, active } = await readActive(reads, association_id, ROLES);
    return { terms, members: active };
  });
}

/** Returns the active board members, for other services. */
export function boardAction({ reads }: MembershipDeps): ActionSchema {
  return implementCommand(board, async ({ association_id }) => {
    const { terms, active } = await readActive(reads, association_id, BOARD);
    return { terms, board: active };
  });
}

async function readActive(reads: Db, association_id: string, roles: readonly Role[]) {
  const [association, active] = await Promise.all([
    loadAssociation(reads, association_id),
    listActive(reads, association_id, roles),
  ]);
  return { terms: termsOf(association), active: active.map(referenceOf) };
}
