/** Membership: who is who. Associations, members, invitations, PINs. */
import { FREQUENCIES } from '../calendar/calendar.ts';
import {
  amount,
  boolean,
  currency,
  defaulting,
  enumeration,
  free,
  id,
  instant,
  integer,
  list,
  minor,
  money,
  nullable,
  object,
  opaque,
  optional,
  text,
} from '../schema/fields.ts';
import type { Value } from '../schema/fields.ts';
import { command, endpoint } from './action.ts';
import { executeApprovalInput, executionOutcome } from './approvals.ts';
import { pageOf, pageQuery } from './lists.ts';
import { PERMISSIONS, ROLES } from './permissions.ts';

export const ASSOCIATION_TYPES = ['tontine', 'savings', 'solidarity'] as const;
export const ASSOCIATION_STATUSES = ['active', 'closed'] as const;
export const MEMBER_STATUSES = ['active', 'left', 'expelled'] as const;

/** Bounds of the contract, section 3. */
export const HANDS_MAX = 20;
const NAME_MAX_CODE_POINTS = 120;
const DESCRIPTION_MAX_CODE_POINTS = 2_000;
const MEMBERS_MIN = 2;
const MEMBERS_MAX = 10_000;
const MEMBERS_DEFAULT = 100;
const BENEFICIARIES_MAX = 10;
const APPROVALS_MAX = 10;
const APPROVAL_EXPIRY_MAX_HOURS = 2_160;
const APPROVAL_EXPIRY_DEFAULT_HOURS = 336;
const INVITATION_USES_MAX = 10_000;
const INVITATION_EXPIRY_MAX_HOURS = 720;
const INVITATION_EXPIRY_DEFAULT_HOURS = 168;
/** All that a body can hold: an RSA-4096 ciphertext in base64 is 684 characters, and a text too long is a wrong PIN. */
const SEALED_PIN_MAX_LENGTH = 65_536;
/** 128 code points, each of at most two UTF-16 units. */
const USER_ID_MAX_LENGTH = 256;

/** A PIN encrypted by the client, base64 or base64url. Whatever is wrong with it is for the PIN check to say. */
export const sealedPin = () => opaque(SEALED_PIN_MAX_LENGTH);
export const hands = () => integer(1, HANDS_MAX);
const approvals = (fallback: number) => defaulting(integer(1, APPROVALS_MAX), fallback);

const approvalRules = {
  cash_deposit: approvals(1),
  distribution: approvals(2),
  rules_change: approvals(2),
  expulsion: approvals(2),
  closure: approvals(2),
  role_change: approvals(1),
  motion: approvals(1),
};

const rulesFields = {
  shortfall: defaulting(enumeration(['block']), 'block'),
  beneficiaries_per_meeting: defaulting(integer(1, BENEFICIARIES_MAX), 1),
  approvals: defaulting(object(approvalRules), {
    cash_deposit: 1,
    distribution: 2,
    rules_change: 2,
    expulsion: 2,
    closure: 2,
    role_change: 1,
    motion: 1,
  }),
  approval_expires_in_hours: defaulting(integer(1, APPROVAL_EXPIRY_MAX_HOURS), APPROVAL_EXPIRY_DEFAULT_HOURS),
};

/** The rules of an association; absent members mean their defaults. */
export const rules = object(rulesFields);
export type Rules = Value<typeof rules>;

export const DEFAULT_RULES: Rules = {
  shortfall: 'block',
  beneficiaries_per_meeting: 1,
  approvals: {
    cash_deposit: 1,
    distribution: 2,
    rules_change: 2,
    expulsion: 2,
    closure: 2,
    role_change: 1,
    motion: 1,
  },
  approval_expires_in_hours: APPROVAL_EXPIRY_DEFAULT_HOURS,
};

export const membershipSummary = object({
  member_id: id(),
  role: enumeration(ROLES),
  status: enumeration(MEMBER_STATUSES),
  hands: hands(),
  joined_at: instant(),
});

export const association = object({
  id: id(),
  name: text(1, NAME_MAX_CODE_POINTS),
  description: nullable(text(0, DESCRIPTION_MAX_CODE_POINTS)),
  type: enumeration(ASSOCIATION_TYPES),
  currency: currency(),
  contribution_amount: money(),
  contribution_frequency: enumeration(FREQUENCIES),
  max_members: integer(MEMBERS_MIN, MEMBERS_MAX),
  is_public: boolean(),
  status: enumeration(ASSOCIATION_STATUSES),
  member_count: integer(0, MEMBERS_MAX),
  rules,
  rules_version: integer(1, Number.MAX_SAFE_INTEGER),
  created_at: instant(),
  membership: optional(membershipSummary),
});
export type Association = Value<typeof association>;

export const member = object({
  id: id(),
  association_id: id(),
  user_id: opaque(USER_ID_MAX_LENGTH),
  display_name: nullable(text(1, NAME_MAX_CODE_POINTS)),
  role: enumeration(ROLES),
  status: enumeration(MEMBER_STATUSES),
  hands: hands(),
  /** Present for the member himself and the board only. */
  payout_wallet_id: optional(nullable(opaque(USER_ID_MAX_LENGTH))),
  joined_at: instant(),
});
export type Member = Value<typeof member>;

const invitation = object({
  id: id(),
  code: opaque(64),
  max_uses: integer(1, INVITATION_USES_MAX),
  uses: integer(0, INVITATION_USES_MAX),
  expires_at: instant(),
  created_at: instant(),
});

const inAssociation = { association_id: id() };
const nothing = object({});

// Endpoints

export const createAssociation = endpoint({
  name: 'membership.create_association',
  body: {
    name: text(1, NAME_MAX_CODE_POINTS),
    description: optional(text(0, DESCRIPTION_MAX_CODE_POINTS)),
    type: enumeration(ASSOCIATION_TYPES),
    currency: currency(),
    contribution_amount: amount(),
    contribution_frequency: enumeration(FREQUENCIES),
    max_members: defaulting(integer(MEMBERS_MIN, MEMBERS_MAX), MEMBERS_DEFAULT),
    is_public: defaulting(boolean(), false),
    rules: defaulting(rules, DEFAULT_RULES),
    hands: defaulting(hands(), 1),
  },
  status: 201,
  answer: association,
});

export const myAssociations = endpoint({
  name: 'membership.my_associations',
  query: pageQuery,
  answer: pageOf(association),
});

export const getAssociation = endpoint({
  name: 'membership.get_association',
  path: inAssociation,
  answer: association,
});

export const listMembers = endpoint({
  name: 'membership.list_members',
  path: inAssociation,
  query: { ...pageQuery, role: optional(enumeration(ROLES)), status: optional(enumeration(MEMBER_STATUSES)) },
  answer: pageOf(member),
});

export const joinAssociation = endpoint({
  name: 'membership.join',
  path: inAssociation,
  body: { hands: defaulting(hands(), 1) },
  status: 201,
  answer: member,
});

export const createInvitation = endpoint({
  name: 'membership.create_invitation',
  path: inAssociation,
  body: {
    max_uses: defaulting(integer(1, INVITATION_USES_MAX), 1),
    expires_in_hours: defaulting(integer(1, INVITATION_EXPIRY_MAX_HOURS), INVITATION_EXPIRY_DEFAULT_HOURS),
  },
  status: 201,
  answer: invitation,
});

export const acceptInvitation = endpoint({
  name: 'membership.accept_invitation',
  path: { code: opaque(256) },
  body: { hands: defaulting(hands(), 1) },
  status: 201,
  answer: member,
});

export const changeOwnMembership = endpoint({
  name: 'membership.change_own_membership',
  path: inAssociation,
  body: {
    display_name: optional(text(1, NAME_MAX_CODE_POINTS)),
    hands: optional(hands()),
    payout_wallet_id: optional(opaque(USER_ID_MAX_LENGTH)),
    pin: optional(sealedPin()),
  },
  answer: member,
});

export const leaveAssociation = endpoint({
  name: 'membership.leave',
  path: inAssociation,
  status: 204,
  answer: nothing,
});

export const pinKeys = endpoint({
  name: 'membership.pin_keys',
  answer: object({ keys: list(free()) }),
});

export const setPin = endpoint({
  name: 'membership.set_pin',
  body: { pin: sealedPin(), current_pin: optional(sealedPin()) },
  status: 204,
  answer: nothing,
});

/** Needs the scope `pins:reset`. */
export const resetPin = endpoint({
  name: 'membership.reset_pin',
  path: { user_id: opaque(USER_ID_MAX_LENGTH) },
  status: 204,
  answer: nothing,
});

// Commands

/** A member as other services see him. */
export const memberReference = object({
  member_id: id(),
  user_id: opaque(USER_ID_MAX_LENGTH),
  role: enumeration(ROLES),
  status: enumeration(MEMBER_STATUSES),
  hands: hands(),
  payout_wallet_id: nullable(opaque(USER_ID_MAX_LENGTH)),
  joined_at: instant(),
});
export type MemberReference = Value<typeof memberReference>;

/** What an association's members have agreed on. */
export const terms = object({
  association_id: id(),
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
  input: {
    association_id: id(),
    user_id: opaque(USER_ID_MAX_LENGTH),
    permission: enumeration(PERMISSIONS),
    /** Absent where the action needs no PIN. */
    pin: optional(sealedPin()),
    /** The request's amount, to be read in the association's currency. */
    amount: optional(amount()),
    /** Members of whom the action needs to know more; those that are not of the association are left out. */
    member_ids: optional(list(id())),
  },
  answer: object({
    terms,
    member: memberReference,
    /** Present when an amount was given. */
    amount_minor: optional(minor()),
    members: list(memberReference),
  }),
});
export type Authorization = Value<typeof authorize.answer>;

/** The active board and the terms, for fixing and counting votes. */
export const board = command({
  name: 'membership.board',
  input: inAssociation,
  answer: object({ terms, board: list(memberReference) }),
});

/** Active members who joined first come first: for lists that another service makes per member. */
export const roster = command({
  name: 'membership.roster',
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

/** Carries out an approved role change, once for each approval. */
export const executeApproval = command({
  name: 'membership.execute_approval',
  input: executeApprovalInput,
  answer: executionOutcome,
});

export const health = command({ name: 'membership.health', input: {}, answer: object({ ok: boolean() }) });
