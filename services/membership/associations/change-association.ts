import type { ActionSchema } from 'moleculer';
import { changeAssociation } from '../../../lib/contracts/membership.ts';
import { metadataMember } from '../../../lib/contracts/metadata.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { requireUnchanged } from '../../../lib/service/preconditions.ts';
import type { MembershipDeps } from '../deps.ts';
import { lockOwnMembership } from '../members/own-membership.ts';
import { associations } from './association.table.ts';
import { showAssociation } from './association.view.ts';
import { searchText } from './search-text.rules.ts';

/**
 * Changes the name, description or visibility of an association. A request that changes nothing is accepted, and writes no
 * event.
 */
export function changeAssociationAction(deps: MembershipDeps): ActionSchema {
  const { db, outbox } = deps;
  return implementWrite(deps, changeAssociation, ({ path, body }, { user_id }, ctx, operation) => {
    const { association_id } = path;
    return db.transaction(async (tx) => {
      const { association, member } = await lockOwnMembership(
        tx,
        association_id,
        user_id,
        'change_association',
        (locked) => requireUnchanged(ctx, () => showAssociation(locked.association, locked.member)),
      );
      const changed = { ...association, ...body };
      const { name, description, is_public } = changed;
      const isChange =
        name !== association.name || description !== association.description || is_public !== association.is_public;
      if (isChange) {
        const columns = { name, description, is_public, search_text: searchText(name, description) };
        await tx.orm.update(associations, { id: association_id }, columns);
        const data = { name, description, is_public, ...metadataMember(association.metadata) };
        outbox.append(tx, { type: 'association.updated', association_id, data });
      }
      const answer = showAssociation(changed, member);
      await operation.keep(tx, answer);
      return answer;
    });
  });
}
