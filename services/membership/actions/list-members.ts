import type { ActionSchema } from 'moleculer';
import { implement } from '../../../lib/actions/implement.ts';
import { listMembers } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { presentMember } from '../domain/presentation.ts';
import { findMember, listMembers as fetchMembers } from '../persistence/members.ts';
import type { MembershipDeps } from '../deps.ts';
import { memberPosition, positionOf } from './member-position.ts';

/** The members, former ones too unless `status` says otherwise, in the order in which they joined. */
export function listMembersAction({ foundation }: MembershipDeps): ActionSchema {
  const { db, cursors } = foundation;
  return implement(listMembers, async ({ path, query }, { user_id }) => {
    const { association_id } = path;
    const viewer = await findMember(db.manager, association_id, user_id);
    if (viewer?.status !== 'active') throw problem('not_found');
    const { role, status } = query;
    const filter = { ...(role === undefined ? {} : { role }), ...(status === undefined ? {} : { status }) };
    return pageThrough(
      cursors,
      `members/${association_id}/${role ?? ''}/${status ?? ''}`,
      query,
      (after, limit) => fetchMembers(db.manager, association_id, filter, memberPosition(after), limit),
      positionOf,
      (member) => presentMember(member, viewer),
    );
  });
}
