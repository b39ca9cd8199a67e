import type { ActionSchema } from 'moleculer';
import type { MembershipDeps } from '../deps.ts';
import { acceptInvitationAction } from '../members/join-association.ts';
import { createInvitationAction } from './create-invitation.ts';
import { getInvitationAction, listInvitationsAction, previewInvitationAction } from './read-invitations.ts';
import { withdrawInvitationAction } from './withdraw-invitation.ts';

/** The actions of invitations. */
export function invitationActions(deps: MembershipDeps): Record<string, ActionSchema> {
  return {
    create_invitation: createInvitationAction(deps),
    accept_invitation: acceptInvitationAction(deps),
    get_invitation: getInvitationAction(deps),
    list_invitations: listInvitationsAction(deps),
    preview_invitation: previewInvitationAction(deps),
    withdraw_invitation: withdrawInvitationAction(deps),
  };
}
