import type { ActionSchema } from 'moleculer';
import { implementCommand } from '../../../lib/service/implement.ts';
import { roster } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { termsOf } from '../associations/association.table.ts';
import { referenceOf } from '../members/member.table.ts';
import { findAssociation } from '../associations/association.store.ts';
import { activeMembers } from '../members/member.store.ts';
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
