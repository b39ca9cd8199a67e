/** What other services ask membership before they act. */
import { FREQUENCIES } from '../../calendar/calendar.ts';
import {
  amount,
  currency,
  enumeration,
  id,
  integer,
  list,
  minor,
  nullable,
  object,
  opaque,
  optional,
  text,
  UNBOUNDED,
} from '../../schema/fields.ts';
import type { Value } from '../../schema/fields.ts';
import { always, command, nothing } from '../action.ts';
import { inAssociation, sealedPin, USER_ID_MAX_CODE_POINTS, WALLET_ID_MAX_LENGTH } from '../ids.ts';
import { PERMISSIONS } from '../permissions.ts';
import { ASSOCIATION_STATUSES, ASSOCIATION_TYPES } from './associations.ts';
import { memberReference, memberReferences, NAME_MAX_CODE_POINTS, namedMember } from './members.ts';
import { rules } from './rules.ts';

/** Where a member is paid. A wallet has to be opened for a payee without one. */
const payee = object({
  member_id: id(),
  user_id: opaque(USER_ID_MAX_CODE_POINTS),
  payout_wallet_id: nullable(opaque(WALLET_ID_MAX_LENGTH)),
});
export type Payee = Value<typeof payee>;

/** What the members of an association have agreed on. */
const terms = object({
  association_id: id(),
  name: text(1, NAME_MAX_CODE_POINTS),
  type: enumeration(ASSOCIATION_TYPES),
  status: enumeration(ASSOCIATION_STATUSES),
  currency: currency(),
  contribution_amount_minor: minor(),
  contribution_frequency: enumeration(FREQUENCIES),
  rules,
  rules_version: integer(1, UNBOUNDED),
});
export type Terms = Value<typeof terms>;

/**
 * Answers in one call: may this user do this here, is the PIN right, what are the terms. Refuses in this order:
 * not_found, role_not_allowed, amount_precision, the refusals of the PIN, association_closed.
 */
export const authorize = command({
  name: 'membership.authorize',
  // Checking a PIN uses up its ciphertext and counts the attempt.
  reads: ({ pin }) => pin === undefined,
  input: {
    association_id: id(),
    user_id: opaque(USER_ID_MAX_CODE_POINTS),
    permission: enumeration(PERMISSIONS),
    /** Absent where the action needs no PIN. */
    pin: optional(sealedPin()),
    /** The amount of the request, to be read in the association's currency. */
    amount: optional(amount()),
    /** Members about whom the action needs to know more; those of other associations are left out. */
    member_ids: optional(list(id())),
    /** Members who are to be paid; those of other associations are left out. */
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

/** The active board and the terms, for counting votes. */
export const board = command({
  name: 'membership.board',
  reads: always,
  input: inAssociation,
  answer: object({ terms, board: memberReferences }),
});

/** The active members in the order in which they joined, for lists that another service makes per member. */
export const roster = command({
  name: 'membership.roster',
  reads: always,
  input: inAssociation,
  answer: object({ terms, members: memberReferences }),
});

/**
 * Binds the active members to a cycle: until its release they may not leave or change their hands. Repeated with the same
 * cycle it gives the same members. Refuses with cycle_in_progress while another cycle is bound, and with not_found after
 * this one was released.
 */
export const bindCycle = command({
  name: 'membership.bind_cycle',
  input: { ...inAssociation, cycle_id: id() },
  answer: object({ terms, members: memberReferences }),
});

/** Undoes bindCycle(). Repeated, it does nothing. */
export const releaseCycle = command({
  name: 'membership.release_cycle',
  input: { ...inAssociation, cycle_id: id() },
  answer: nothing,
});
