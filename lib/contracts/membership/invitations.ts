import * as t from '../fields.ts';
import { chapter } from '../action.ts';
import { member, ownHands } from './members.ts';

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
  path: { ...t.inAssociation, invitation_id: t.id('The invitation.', t.EXAMPLE.invitation_id) },
  answer: t.record('Invitation', invitationFields),
});

export const acceptInvitation = endpoint({
  name: 'membership.accept_invitation',
  summary: 'Join by invitation',
  description: 'An expelled member can rejoin only by invitation. A used-up or expired code is 404 `not_found`.',
  refuses: ['already_member', 'association_closed', 'association_full'],
  path: { code: t.opaque(CODE_MAX_LENGTH, 'The code of the invitation.', EXAMPLE_CODE) },
  body: ownHands,
  status: 201,
  answer: member,
});
