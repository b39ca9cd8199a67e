import type { ActionSchema } from 'moleculer';
import { implement } from '../../../lib/service/implement.ts';
import { getOwnMembership } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { presentMember } from '../associations/association.view.ts';
import { findMember } from './member.store.ts';
import type { MembershipDeps } from '../deps.ts';

/** The caller as a member, for the link that joining gives. */
export function getOwnMembershipAction({ foundation }: MembershipDeps): ActionSchema {
  const { manager } = foundation.db;
  return implement(getOwnMembership, async ({ path }, { user_id }) => {
    const member = await findMember(manager, path.association_id, user_id);
    if (member?.status !== 'active') throw problem('not_found');
    return presentMember(member, member);
  });
}
