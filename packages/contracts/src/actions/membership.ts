/** The public actions of the service that stores associations, members, invitations and PINs. */
export {
  getAssociation,
  listPublicAssociations,
  myAssociations,
} from '../../../../lib/contracts/membership/associations.ts';
export { authorize, board, roster } from '../../../../lib/contracts/membership/authorization.ts';
export { getInvitation, listInvitations, previewInvitation } from '../../../../lib/contracts/membership/invitations.ts';
export { getOwnMembership, listMembers } from '../../../../lib/contracts/membership/members.ts';
export { overview } from '../../../../lib/contracts/membership/overview.ts';
export { pinKeys, pinState } from '../../../../lib/contracts/membership/pins.ts';
