import type { ActionSchema } from 'moleculer';
import { answerLocation } from '../../../lib/service/implement.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { createInvitation } from '../../../lib/contracts/membership.ts';
import { CODE_BYTES, expiryOf, hashCode } from './invitation.table.ts';
import { insertInvitation } from './invitation.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { lockOwnMembership } from '../actions/own-membership.ts';

/** Makes an invitation. This answer is the only place where its code ever shows. */
export function createInvitationAction({ foundation }: MembershipDeps): ActionSchema {
  const { runtime } = foundation;
  return implementWrite(foundation, createInvitation, async ({ path, body }, { user_id }, ctx, operation) => {
    const { association_id } = path;
    const code = runtime.randomBytes(CODE_BYTES).toString('base64url');
    return foundation.transaction(async (manager) => {
      const { member } = await lockOwnMembership(manager, association_id, user_id, 'invite');
      const created_at = runtime.clock();
      const invitation = {
        id: operation.id,
        association_id,
        code_hash: hashCode(code),
        created_by_member_id: member.id,
        max_uses: body.max_uses,
        uses: 0,
        expires_at: expiryOf(created_at, body.expires_in_hours),
        created_at,
      };
      await insertInvitation(manager, invitation);
      const { id, max_uses, uses, expires_at } = invitation;
      const answer = {
        id,
        code,
        max_uses,
        uses,
        expires_at: expires_at.toISOString(),
        created_at: created_at.toISOString(),
      };
      // The id, not the code: locations end up in logs.
      answerLocation(ctx, `/associations/${association_id}/invitations/${operation.id}`);
      await operation.answered(manager, answer);
      return answer;
    });
  });
}
