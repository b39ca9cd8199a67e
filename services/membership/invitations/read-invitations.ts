import type { ActionSchema } from 'moleculer';
import { getInvitation, listInvitations, previewInvitation } from '../../../lib/contracts/membership.ts';
import type { Db } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { implement } from '../../../lib/service/implement.ts';
import { roleRefusal } from '../authorize/access.rules.ts';
import { findAuthorized } from '../authorize/authorized.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { findOffered, listNewestFirst } from './invitation.store.ts';
import { invitations, type InvitationRow } from './invitation.table.ts';
import { showInvitation, showPreview } from './invitation.view.ts';

/** Reads an invitation without its code. */
export function getInvitationAction({ reads }: MembershipDeps): ActionSchema {
  return implement(getInvitation, async ({ path }, { user_id }) =>
    showInvitation(await findSeen(reads, path, user_id)),
  );
}

/**
 * Finds an invitation, for a member who may read it.
 * @throws not_found, role_not_allowed
 */
export async function findSeen(
  db: Db,
  { association_id, invitation_id: id }: { association_id: string; invitation_id: string },
  user_id: string,
): Promise<InvitationRow> {
  const found = await findAuthorized(db, association_id, user_id);
  const invitation = found && (await db.orm.findOneBy(invitations, { id, association_id }));
  if (found === null || invitation === null) throw problem('not_found');
  const refusal = roleRefusal('read_invitations', found.member.role);
  if (refusal !== null) throw refusal;
  return invitation;
}

/** Lists the invitations without their codes, newest first. */
export function listInvitationsAction({ reads, cursors }: MembershipDeps): ActionSchema {
  return implement(listInvitations, async ({ path: { association_id }, query }, { user_id }) => {
    const found = await findAuthorized(reads, association_id, user_id);
    if (found === null) throw problem('not_found');
    const refusal = roleRefusal('read_invitations', found.member.role);
    if (refusal !== null) throw refusal;
    return pageThrough(
      cursors,
      `invitations/${association_id}`,
      query,
      (after, limit) => listNewestFirst(reads, association_id, after, limit),
      ({ created_at, id }) => [created_at.toISOString(), id],
      showInvitation,
    );
  });
}

/** Shows the association of a code to a user who may join it. */
export function previewInvitationAction({ reads, runtime }: MembershipDeps): ActionSchema {
  return implement(previewInvitation, async ({ path: { code } }) => {
    const offered = await findOffered(reads, code, runtime.clock());
    if (offered === undefined) throw problem('not_found');
    return showPreview(offered);
  });
}
