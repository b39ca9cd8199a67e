import * as t from '../fields.ts';
import { chapter, nothing } from '../action.ts';
import { associationFields } from './associations.ts';
import { joining, member } from './members.ts';

const USES_MAX = 10_000;
const EXPIRY_MAX_HOURS = 720;
const EXPIRY_DEFAULT_HOURS = 168;
/** Far longer than generated codes. */
const CODE_MAX_LENGTH = 256;
const EXAMPLE_CODE = 'hWk3v0mYVb0p6kqCk2yqVg';

const invitationFields = {
  id: t.ownId(t.EXAMPLE.invitation_id),
  max_uses: t.integer(1, USES_MAX, 'The number of users who may join with it.', 1),
  uses: t.integer(0, USES_MAX, 'The number of users who have joined with it.', 0),
  expires_at: t.at('When it expires.', '2026-10-12T18:30:00.000Z'),
  created_at: t.at('When it was created.'),
};
const invitation = t.record('Invitation', invitationFields);
const ofInvitation = { ...t.inAssociation, invitation_id: t.id('The invitation.', t.EXAMPLE.invitation_id) };
const ofCode = { code: t.opaque(CODE_MAX_LENGTH, 'The code of the invitation.', EXAMPLE_CODE) };
const codeMeaning = 'The code for `POST /invitations/{code}/accept`. Only this answer contains it.';

const endpoint = chapter('Members');

export const createInvitation = endpoint({
  name: 'membership.create_invitation',
  summary: 'Invite people',
  description: 'Only this answer contains the code.',
  permission: 'invite',
  path: t.inAssociation,
  body: {
    max_uses: t.withDefault(t.integer(1, USES_MAX, 'The number of users who may join with it.', 5), 1),
    expires_in_hours: t.withDefault(
      t.integer(1, EXPIRY_MAX_HOURS, 'The validity in hours.', EXPIRY_DEFAULT_HOURS),
      EXPIRY_DEFAULT_HOURS,
    ),
  },
  status: 201,
  answer: t.record('NewInvitation', {
    ...invitationFields,
    code: t.opaque(CODE_MAX_LENGTH, codeMeaning, EXAMPLE_CODE),
  }),
  examples: { body: { max_uses: 1, expires_in_hours: EXPIRY_DEFAULT_HOURS } },
});

export const getInvitation = endpoint({
  name: 'membership.get_invitation',
  summary: 'Show an invitation',
  description: 'The answer does not contain the code. Used-up and expired invitations are shown too.',
  permission: 'read_invitations',
  path: ofInvitation,
  answer: invitation,
});

export const listInvitations = endpoint({
  name: 'membership.list_invitations',
  summary: 'List the invitations',
  description: 'Newest first, without the codes. Used-up and expired invitations are listed too.',
  permission: 'read_invitations',
  path: t.inAssociation,
  query: t.pageQuery,
  answer: t.pageOf(invitation),
});

export const withdrawInvitation = endpoint({
  name: 'membership.withdraw_invitation',
  summary: 'Withdraw an invitation',
  description:
    'Its code is 404 `not_found` from then on, and it is no longer listed. Users who have joined with it stay members.',
  permission: 'invite',
  path: ofInvitation,
  status: 204,
  answer: nothing,
});

export const previewInvitation = endpoint({
  name: 'membership.preview_invitation',
  summary: 'Show what one would join with an invitation',
  description:
    'For every user who has the code. A code that is unknown, used up, expired or withdrawn is 404 `not_found`.',
  path: ofCode,
  answer: t.record('InvitationPreview', {
    association_id: t.associationId(),
    name: associationFields.name,
    description: associationFields.description,
    type: associationFields.type,
    currency: associationFields.currency,
    contribution_amount: associationFields.contribution_amount,
    contribution_frequency: associationFields.contribution_frequency,
    member_count: associationFields.member_count,
    max_members: associationFields.max_members,
    expires_at: invitationFields.expires_at,
  }),
});

export const acceptInvitation = endpoint({
  name: 'membership.accept_invitation',
  summary: 'Join by invitation',
  description:
    'An expelled member can rejoin only by invitation. A code that is used up, expired or withdrawn is 404 ' +
    '`not_found`.',
  refuses: ['already_member', 'association_closed', 'association_full'],
  path: ofCode,
  body: joining,
  status: 201,
  answer: member,
});
