/** Membership: who is who. Associations, members, invitations, PINs. */
import { FREQUENCIES } from '../calendar/calendar.ts';
import {
  amount,
  boolean,
  currency,
  defaulting,
  described,
  enumeration,
  free,
  id,
  instant,
  integer,
  list,
  minor,
  nullable,
  object,
  opaque,
  optional,
  text,
} from '../schema/fields.ts';
import type { Value } from '../schema/fields.ts';
import { always, command, endpoint } from './action.ts';
import { executeApprovalInput, executionOutcome, PROPOSAL_TYPES } from './approvals.ts';
import {
  association,
  ASSOCIATION_STATUSES,
  ASSOCIATION_TYPES,
  associationDescription,
  associationName,
  associationType,
  currencyCode,
  DEFAULT_RULES,
  frequency,
  hands,
  invitation,
  INVITATION_CODE_MAX_LENGTH,
  INVITATION_EXPIRY_MAX_HOURS,
  INVITATION_USES_MAX,
  isPublic,
  maxMembers,
  member,
  MEMBER_STATUSES,
  NAME_MAX_CODE_POINTS,
  newInvitation,
  rules,
} from './membership/associations.ts';
import {
  associationId,
  EXAMPLE,
  HEX_256_LENGTH,
  IDEMPOTENCY_KEY_MAX_LENGTH,
  sealedPin,
  USER_ID_MAX_CODE_POINTS,
  WALLET_ID_MAX_LENGTH,
  walletId,
} from './ids.ts';
import { pageOf, pageQuery } from './lists.ts';
import { PERMISSIONS, ROLES } from './permissions.ts';

export * from './membership/associations.ts';
export * from './membership/pins.ts';
export { sealedPin } from './ids.ts';

const MEMBERS_DEFAULT = 100;
const INVITATION_EXPIRY_DEFAULT_HOURS = 168;

const inAssociation = { association_id: associationId() };
const nothing = object({});
const ownHands = { hands: defaulting(hands(), 1) };

// Endpoints

export const createAssociation = endpoint({
  name: 'membership.create_association',
  tag: 'Associations',
  summary: 'Found an association',
  description:
    'The caller becomes its president, and gets a wallet in its currency if he has none. Type, currency and frequency ' +
    'are fixed for ever; the other rules change by proposal.',
  body: {
    name: associationName(),
    description: optional(associationDescription()),
    type: associationType(),
    currency: currencyCode('ISO 4217, of a currency that has minor units.'),
    contribution_amount: described(amount(), 'What each hand owes at each meeting.', 10_000),
    contribution_frequency: frequency(),
    max_members: defaulting(maxMembers(), MEMBERS_DEFAULT),
    is_public: defaulting(isPublic(), false),
    rules: defaulting(rules, DEFAULT_RULES),
    ...ownHands,
  },
  status: 201,
  answer: association,
});

/** The public directory: active public associations, newest first. */
export const listPublicAssociations = endpoint({
  name: 'membership.list_public_associations',
  tag: 'Associations',
  summary: 'Search the public directory',
  description: 'Active public associations, the newest first.',
  query: {
    ...pageQuery,
    q: described(
      optional(text(1, NAME_MAX_CODE_POINTS)),
      'Words, or parts of words, of the name or the description, in any letter case and with or without accents.',
      'njangi',
    ),
    type: described(optional(enumeration(ASSOCIATION_TYPES)), 'Only of this type.', 'tontine'),
    currency: described(optional(currency()), 'Only in this currency.', 'XAF'),
    contribution_frequency: described(optional(enumeration(FREQUENCIES)), 'Only with this frequency.', 'monthly'),
  },
  answer: pageOf(association),
});

export const myAssociations = endpoint({
  name: 'membership.my_associations',
  tag: 'Associations',
  summary: "List the caller's associations",
  description: 'Those of which the caller is an active member, the newest membership first.',
  query: pageQuery,
  answer: pageOf(association),
});

export const getAssociation = endpoint({
  name: 'membership.get_association',
  tag: 'Associations',
  summary: 'Show an association',
  description: 'A private one, to its members; a public one, to everybody.',
  path: inAssociation,
  answer: association,
});

export const listMembers = endpoint({
  name: 'membership.list_members',
  tag: 'Members',
  summary: 'List the members with their roles',
  description: 'In the order in which they joined. Former members are listed too.',
  permission: 'read',
  path: inAssociation,
  query: {
    ...pageQuery,
    role: described(optional(enumeration(ROLES)), 'Only with this role.', 'member'),
    status: described(optional(enumeration(MEMBER_STATUSES)), 'Only with this status.', 'active'),
  },
  answer: pageOf(member),
});

export const joinAssociation = endpoint({
  name: 'membership.join',
  tag: 'Members',
  summary: 'Join a public association',
  description:
    'Opens a wallet in its currency if the caller has none: the default for his payouts. Who joins during a cycle is ' +
    'in from the next. Rejoining reactivates the same member.',
  refuses: ['already_member', 'association_closed', 'association_full'],
  path: inAssociation,
  body: ownHands,
  status: 201,
  answer: member,
});

export const createInvitation = endpoint({
  name: 'membership.create_invitation',
  tag: 'Members',
  summary: 'Invite people',
  description: 'The code is shown in this answer only.',
  permission: 'invite',
  path: inAssociation,
  body: {
    max_uses: defaulting(described(integer(1, INVITATION_USES_MAX), 'How many people may join with it.', 5), 1),
    expires_in_hours: defaulting(
      described(integer(1, INVITATION_EXPIRY_MAX_HOURS), 'How long it is good.', 168),
      INVITATION_EXPIRY_DEFAULT_HOURS,
    ),
  },
  status: 201,
  answer: newInvitation,
  examples: { body: { max_uses: 1, expires_in_hours: 168 } },
});

export const getInvitation = endpoint({
  name: 'membership.get_invitation',
  tag: 'Members',
  summary: 'Show an invitation',
  description: 'Without its code. Also one that is spent or has expired.',
  permission: 'read_invitations',
  path: {
    ...inAssociation,
    invitation_id: described(id(), 'The invitation.', EXAMPLE.invitation_id),
  },
  answer: invitation,
});

export const acceptInvitation = endpoint({
  name: 'membership.accept_invitation',
  tag: 'Members',
  summary: 'Join by invitation',
  description: 'Also the only way back for a member who was expelled. A spent or expired code is not found.',
  refuses: ['already_member', 'association_closed', 'association_full'],
  path: {
    code: described(opaque(INVITATION_CODE_MAX_LENGTH), "The invitation's code.", 'hWk3v0mYVb0p6kqCk2yqVg'),
  },
  body: ownHands,
  status: 201,
  answer: member,
});

export const getOwnMembership = endpoint({
  name: 'membership.get_own_membership',
  tag: 'Members',
  summary: "Show one's own membership",
  permission: 'read',
  path: inAssociation,
  answer: member,
});

export const changeOwnMembership = endpoint({
  name: 'membership.change_own_membership',
  tag: 'Members',
  summary: "Change one's own name, hands or payout wallet",
  description: 'At least one of them. `hands` only while no cycle runs; the wallet needs the `pin`.',
  permission: 'change_own_membership',
  refuses: ['cycle_in_progress', 'wallet_currency_mismatch'],
  path: inAssociation,
  body: {
    display_name: described(optional(text(1, NAME_MAX_CODE_POINTS)), 'How others see him.', 'Awa Ngono'),
    hands: optional(hands()),
    payout_wallet_id: optional(walletId("One of the caller's own, in the association's currency.")),
    pin: optional(sealedPin()),
  },
  body_min_members: 1,
  answer: member,
  examples: { body: { display_name: 'Awa Ngono', hands: 1 } },
});

export const leaveAssociation = endpoint({
  name: 'membership.leave',
  tag: 'Members',
  summary: 'Leave an association',
  description: 'For who owes it nothing and awaits nothing from it. His statement stays readable to him.',
  permission: 'change_own_membership',
  refuses: ['member_has_obligations', 'president_cannot_leave'],
  path: inAssociation,
  status: 204,
  answer: nothing,
});

// Commands

const memberFields = {
  member_id: id(),
  user_id: opaque(USER_ID_MAX_CODE_POINTS),
  display_name: nullable(text(1, NAME_MAX_CODE_POINTS)),
  role: enumeration(ROLES),
  status: enumeration(MEMBER_STATUSES),
  hands: hands(),
  payout_wallet_id: nullable(opaque(WALLET_ID_MAX_LENGTH)),
  joined_at: instant(),
};

/** A member as other services see them. */
export const memberReference = object(memberFields);
export type MemberReference = Value<typeof memberReference>;

/** A member named by a request, for storing something for them. */
const namedMember = object({
  ...memberFields,
  /** Which of their memberships it is: how often they have left or been expelled before. */
  tenure: integer(0, Number.MAX_SAFE_INTEGER),
});
export type NamedMember = Value<typeof namedMember>;

/** Where a member is paid, and for whom a wallet has to be opened if that is nowhere yet. */
export const payee = object({
  member_id: id(),
  user_id: opaque(USER_ID_MAX_CODE_POINTS),
  payout_wallet_id: nullable(opaque(WALLET_ID_MAX_LENGTH)),
});
export type Payee = Value<typeof payee>;

/** What an association's members have agreed on. */
export const terms = object({
  association_id: id(),
  name: text(1, NAME_MAX_CODE_POINTS),
  type: enumeration(ASSOCIATION_TYPES),
  status: enumeration(ASSOCIATION_STATUSES),
  currency: currency(),
  contribution_amount_minor: minor(),
  contribution_frequency: enumeration(FREQUENCIES),
  rules,
  rules_version: integer(1, Number.MAX_SAFE_INTEGER),
});
export type Terms = Value<typeof terms>;

/**
 * "May this user do this here, is the PIN right, what are the terms", in one round trip. Refuses in the contract's
 * order: not_found, role_not_allowed, amount_precision, the PIN's refusals, association_closed.
 */
export const authorize = command({
  name: 'membership.authorize',
  // Judging a PIN uses up its ciphertext, and counts.
  reads: ({ pin }) => pin === undefined,
  input: {
    association_id: id(),
    user_id: opaque(USER_ID_MAX_CODE_POINTS),
    permission: enumeration(PERMISSIONS),
    /** Absent where the action needs no PIN. */
    pin: optional(sealedPin()),
    /** The request's amount, to be read in the association's currency. */
    amount: optional(amount()),
    /** Members of whom the action needs to know more; those that are not of the association are left out. */
    member_ids: optional(list(id())),
    /** Members who are to be paid; likewise. */
    payee_ids: optional(list(id())),
  },
  answer: object({
    terms,
    member: memberReference,
    /** Present when an amount was given. */
    amount_minor: optional(minor()),
    members: list(namedMember),
    /** Present when payees were asked for. */
    payees: optional(list(payee)),
  }),
});
export type Authorization = Value<typeof authorize.answer>;

/** The active board and the terms, for fixing and counting votes. */
export const board = command({
  name: 'membership.board',
  reads: always,
  input: inAssociation,
  answer: object({ terms, board: list(memberReference) }),
});

/** Active members who joined first come first: for lists that another service makes per member. */
export const roster = command({
  name: 'membership.roster',
  reads: always,
  input: inAssociation,
  answer: object({ terms, members: list(memberReference) }),
});

/**
 * Binds the active members to a cycle: until it is released none of them may leave or change his hands. Repeating it
 * with the same cycle gives the same roster. Refuses with cycle_in_progress while another cycle binds, and with not_found
 * once this one was released.
 */
export const bindCycle = command({
  name: 'membership.bind_cycle',
  input: { ...inAssociation, cycle_id: id() },
  answer: object({ terms, members: list(memberReference) }),
});

/** Ends what bindCycle() began; does nothing the second time. */
export const releaseCycle = command({
  name: 'membership.release_cycle',
  input: { ...inAssociation, cycle_id: id() },
  answer: nothing,
});

/**
 * Whether a proposal could be carried out as things stand; refuses with what would make its execution fail
 * (member_has_obligations, president_cannot_leave, association_full, amount_precision). Writes nothing.
 */
export const checkProposal = command({
  name: 'membership.check_proposal',
  input: { association_id: id(), type: enumeration(PROPOSAL_TYPES), payload: free() },
  answer: nothing,
});

/** Carries out an approved change of roles or rules, expulsion or closure, once for each approval. */
export const executeApproval = command({
  name: 'membership.execute_approval',
  input: executeApprovalInput,
  answer: executionOutcome,
});

const boundKey = {
  user_id: opaque(USER_ID_MAX_CODE_POINTS),
  key: opaque(IDEMPOTENCY_KEY_MAX_LENGTH),
  /** SHA-256 (hex) of method, path and body without PINs. */
  fingerprint: opaque(HEX_256_LENGTH),
};

/**
 * Binds a user's Idempotency-Key to the one request that another service has claimed it for, so that it is known for
 * reused whichever service is asked next. Refuses with idempotency_key_reused.
 */
export const bindIdempotencyKey = command({
  name: 'membership.bind_idempotency_key',
  input: boundKey,
  answer: object({ ok: boolean() }),
});

/** Frees what bindIdempotencyKey() bound, as the request was refused. */
export const freeIdempotencyKey = command({
  name: 'membership.free_idempotency_key',
  input: boundKey,
  answer: object({ ok: boolean() }),
});

export const health = command({
  name: 'membership.health',
  input: {},
  answer: object({ ok: boolean(), delayed_events: optional(boolean()) }),
});
