import type { ActionSchema } from 'moleculer';
import { implementCommand } from '../../../lib/service/implement.ts';
import { roster } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { termsOf } from '../domain/association.ts';
import { referenceOf } from '../domain/member.ts';
import { findAssociation } from '../persistence/associations.ts';
import { activeMembers } from '../persistence/members.ts';
import type { MembershipDeps } from '../deps.ts';

export function rosterAction({ foundation }: MembershipDeps): ActionSchema {
  const { manager } = foundation.db;
  return implementCommand(roster, async ({ association_id }) => {
    const [association, members] = await Promise.all([
      findAssociation(manager, association_id),
      activeMembers(manager, association_id),
    ]);
    if (association === null) throw problem('not_found');
    return { terms: termsOf(association), members: members.map(referenceOf) };
  });
}
