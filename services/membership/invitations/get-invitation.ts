import type { ActionSchema } from 'moleculer';
import { implement } from '../../../lib/service/implement.ts';
import { getInvitation } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { roleRefusal } from '../authorize/access.rules.ts';
import { findAuthorized } from '../authorize/authorized.store.ts';
import { findInvitation } from './invitation.store.ts';
import type { MembershipDeps } from '../deps.ts';

/** An invitation without its code, for those who may invite. */
export function getInvitationAction({ foundation: { db } }: MembershipDeps): ActionSchema {
  return implement(getInvitation, async ({ path: { association_id, invitation_id } }, { user_id }) => {
    const found = await findAuthorized(db.pool, association_id, user_id);
    const invitation = found && (await findInvitation(db.manager, association_id, invitation_id));
    if (found === null || invitation === null) throw problem('not_found');
    const refusal = roleRefusal('read_invitations', found.member.role);
    if (refusal !== null) throw refusal;
    const { id, max_uses, uses, expires_at, created_at } = invitation;
    return { id, max_uses, uses, expires_at: expires_at.toISOString(), created_at: created_at.toISOString() };
  });
}
