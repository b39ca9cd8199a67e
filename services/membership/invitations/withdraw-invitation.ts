import type { ActionSchema } from 'moleculer';
import { withdrawInvitation } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import type { MembershipDeps } from '../deps.ts';
import { lockOwnMembership } from '../members/own-membership.ts';
import { deleteInvitation } from './invitation.store.ts';
import { findSeen } from './read-invitations.ts';

/** Deletes an invitation, so that its code is unknown. */
export function withdrawInvitationAction(deps: MembershipDeps): ActionSchema {
  const { db } = deps;
  return implementWrite(deps, withdrawInvitation, async ({ path }, { user_id }, _ctx, operation) => {
    // Read before the lock, as an unknown invitation is refused before the role.
    const { id } = await findSeen(db, path, user_id);
    await db.transaction(async (tx) => {
      await lockOwnMembership(tx, path.association_id, user_id, 'invite');
      if (!(await deleteInvitation(tx, id))) throw problem('not_found');
      await operation.keep(tx, {});
    });
    return {};
  });
}
