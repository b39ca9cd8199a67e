/** Commands with which other services ask membership before they act. */
import { FREQUENCIES } from '../../calendar/calendar.ts';
import { UTC } from '../../calendar/zones.ts';
import { CALLS } from '../calls.ts';
import * as t from '../fields.ts';
import { always, command, nothing } from '../action.ts';
import { PERMISSIONS } from '../permissions.ts';
import { ASSOCIATION_STATUSES, ASSOCIATION_TYPES } from './associations.ts';
import { memberReference, memberReferences, NAME_MAX_CODE_POINTS, namedMember } from './members.ts';
import { rules } from './rules.ts';

/** The wallet of a payee; null if one must be opened. */
const payee = t.object({
  member_id: t.id(),
  user_id: t.opaque(t.USER_ID_MAX_CODE_POINTS),
  payout_wallet_id: t.nullable(t.opaque(t.WALLET_ID_MAX_LENGTH)),
});
export type Payee = t.Value<typeof payee>;

/** The terms that the members of an association have agreed on. */
const terms = t.object({
  association_id: t.id(),
  name: t.text(1, NAME_MAX_CODE_POINTS),
  type: t.enumeration(ASSOCIATION_TYPES),
  status: t.enumeration(ASSOCIATION_STATUSES),
  currency: t.currency(),
  contribution_amount_minor: t.minor(),
  contribution_frequency: t.enumeration(FREQUENCIES),
  rules,
  rules_version: t.integer(1, t.UNBOUNDED),
  /** Absent from processes of 0.1.0: see zoneOf(). */
  time_zone: t.optional(t.timeZone()),
});
export type Terms = t.Value<typeof terms>;

/** Returns the time zone of the association. Those of 0.1.0 are in UTC. */
export const zoneOf = ({ time_zone = UTC }: Terms): string => time_zone;

/**
 * Checks in one call whether the user has the permission and the PIN is right, and returns the terms. Refuses in this
 * order: not_found, role_not_allowed, amount_precision, the refusals of the PIN, association_closed.
 */
export const authorize = command({
  name: 'membership.authorize',
  // Checking a PIN uses up its ciphertext and counts the attempt.
  reads: ({ pin }) => pin === undefined,
  input: {
    association_id: t.id(),
    user_id: t.opaque(t.USER_ID_MAX_CODE_POINTS),
    permission: t.enumeration(PERMISSIONS),
    /** Absent if the action needs no PIN. */
    pin: t.optional(t.sealedPin()),
    /** The amount of the request, which is converted to minor units of the association's currency. */
    amount: t.optional(t.amount()),
    /** Members whose details the action needs too. Those of other associations are left out. */
    member_ids: t.optional(t.list(t.id())),
    /** Members who will be paid. Those of other associations are left out. */
    payee_ids: t.optional(t.list(t.id())),
  },
  answer: t.object({
    terms,
    member: memberReference,
    /** Present if an amount was given. */
    amount_minor: t.optional(t.minor()),
    members: t.list(namedMember),
    /** Present if `payee_ids` was given. */
    payees: t.optional(t.list(payee)),
  }),
  acts_for: {
    user: ({ user_id }) => user_id,
    // Services of other teams call it alone. They must not try PINs, which locks those of their users, so only actions of this
    // project include one.
    within: (action, input) =>
      (action === 'membership.authorize' || !action.startsWith('membership.')) &&
      (input?.pin === undefined || Object.hasOwn(CALLS, action.slice(0, action.indexOf('.')))),
  },
});
export type Authorization = t.Value<typeof authorize.answer>;

/** Reads the active board and the terms, for counting votes. */
export const board = command({
  name: 'membership.board',
  reads: always,
  input: t.inAssociation,
  answer: t.object({ terms, board: memberReferences }),
});

/** Reads the active members in join order, for lists of another service with one item per member. */
export const roster = command({
  name: 'membership.roster',
  reads: always,
  input: t.inAssociation,
  answer: t.object({ terms, members: memberReferences }),
});

/**
 * Binds the active members to a cycle: until its release they may not leave or change their hands. A repeat with the
 * same cycle returns the same members. Refuses with cycle_in_progress while another cycle is bound, and with not_found
 * after the release of this cycle.
 */
export const bindCycle = command({
  name: 'membership.bind_cycle',
  input: { ...t.inAssociation, cycle_id: t.id() },
  answer: t.object({ terms, members: memberReferences }),
});

/** Undoes bindCycle(). A repeat does nothing. */
export const releaseCycle = command({
  name: 'membership.release_cycle',
  input: { ...t.inAssociation, cycle_id: t.id() },
  answer: nothing,
});
