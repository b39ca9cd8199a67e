import type { ActionSchema } from 'moleculer';
import { createInvitation } from '../../../lib/contracts/membership.ts';
import { answerLocation } from '../../../lib/service/implement.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import type { MembershipDeps } from '../deps.ts';
import { lockOwnMembership } from '../members/own-membership.ts';
import { hashCode } from './invitation.store.ts';
import { invitations, type InvitationRow } from './invitation.table.ts';
import { showInvitation } from './invitation.view.ts';

/** 144 bits, or 24 characters, so that codes cannot be guessed. */
const CODE_BYTES = 18;

const HOUR_MS = 3_600_000;

/** Creates an invitation. Only this answer shows its code. */
export function createInvitationAction(deps: MembershipDeps): ActionSchema {
  const { db, runtime } = deps;
  return implementWrite(deps, createInvitation, async ({ path, body }, { user_id }, ctx, operation) => {
    const { association_id } = path;
    const code = runtime.randomBytes(CODE_BYTES).toString('base64url');
    return db.transaction(async (tx) => {
      const { member } = await lockOwnMembership(tx, association_id, user_id, 'invite');
      const created_at = runtime.clock();
      const invitation: InvitationRow = {
        id: operation.id,
        association_id,
        code_hash: hashCode(code),
        created_by_member_id: member.id,
        max_uses: body.max_uses,
        uses: 0,
        expires_at: new Date(created_at.getTime() + body.expires_in_hours * HOUR_MS),
        created_at,
      };
      await tx.orm.insert(invitations, invitation);
      const answer = { ...showInvitation(invitation), code };
      // The location has the id and not the code, because locations appear in logs.
      answerLocation(ctx, `/associations/${association_id}/invitations/${operation.id}`);
      await operation.keep(tx, answer);
      return answer;
    });
  });
}
