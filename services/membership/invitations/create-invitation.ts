import type { ActionSchema } from 'moleculer';
import { createInvitation, getInvitation } from '../../../lib/contracts/membership.ts';
import type { RowOf } from '../../../lib/db/table.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { answerLocation, implement } from '../../../lib/service/implement.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { roleRefusal } from '../authorize/access.rules.ts';
import { findAuthorized } from '../authorize/authorized.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { lockOwnMembership } from '../members/own-membership.ts';
import { hashCode } from './invitation.store.ts';
import { invitations } from './invitation.table.ts';

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
      const invitation: RowOf<typeof invitations> = {
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

/** Reads an invitation without its code. */
export function getInvitationAction({ reads }: MembershipDeps): ActionSchema {
  return implement(getInvitation, async ({ path: { association_id, invitation_id: id } }, { user_id }) => {
    const found = await findAuthorized(reads, association_id, user_id);
    const invitation = found && (await reads.orm.findOneBy(invitations, { id, association_id }));
    if (found === null || invitation === null) throw problem('not_found');
    const refusal = roleRefusal('read_invitations', found.member.role);
    if (refusal !== null) throw refusal;
    return showInvitation(invitation);
  });
}

function showInvitation({ id, max_uses, uses, expires_at, created_at }: RowOf<typeof invitations>) {
  return { id, max_uses, uses, expires_at: expires_at.toISOString(), created_at: created_at.toISOString() };
}
