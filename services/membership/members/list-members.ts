import type { ActionSchema } from 'moleculer';
import { implement } from '../../../lib/service/implement.ts';
import { listMembers } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { presentMember } from '../associations/association.view.ts';
import { listSeenMembers } from '../persistence/list-members.ts';
import type { MembershipDeps } from '../deps.ts';
import { memberPosition } from '../actions/member-position.ts';

/** The members, former ones too unless `status` says otherwise, in the order in which they joined. */
export function listMembersAction({ foundation }: MembershipDeps): ActionSchema {
  const { db, cursors } = foundation;
  return implement(listMembers, ({ path: { association_id }, query }, { user_id }) => {
    const { role = null, status = null } = query;
    return pageThrough(
      cursors,
      `members/${association_id}/${role ?? ''}/${status ?? ''}`,
      query,
      async (after, limit) => {
        const seen = await listSeenMembers(
          db.pool,
          { association_id, user_id },
          { role, status },
          memberPosition(after),
          limit,
        );
        if (seen === null) throw problem('not_found');
        return seen.members.map((member) => presentMember(member, seen.reader));
      },
      ({ joined_at, id }) => [joined_at, id],
      (member) => member,
    );
  });
}
