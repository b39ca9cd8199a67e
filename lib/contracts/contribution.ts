/** Contribution: cycles, meetings, contributions, settlements. */
import {
  amount,
  boolean,
  currency,
  date,
  enumeration,
  id,
  instant,
  integer,
  list,
  money,
  nullable,
  object,
  opaque,
  optional,
  text,
} from '../schema/fields.ts';
import type { Value } from '../schema/fields.ts';
import { command, endpoint } from './action.ts';
import { pageOf, pageQuery } from './lists.ts';
import { rules, sealedPin } from './membership.ts';
import { payout, PAYOUT_METHODS } from './treasury.ts';

export const ROTATION_ORDERS = ['join', 'manual'] as const;
export const CYCLE_STATUSES = ['running', 'completed'] as const;
export const MEETING_STATUSES = ['open', 'settling', 'settled', 'cancelled'] as const;
/** What a client sees; a contribution refused at once is not listed. */
export const CONTRIBUTION_STATUSES = ['pending', 'paid', 'failed'] as const;

/** 10 000 members with 20 hands each: the largest rotation that an association can have. */
const ROTATION_MAX_HANDS = 200_000;
const TITLE_MAX_CODE_POINTS = 200;
const WALLET_ID_MAX_LENGTH = 128;

export const cycle = object({
  id: id(),
  association_id: id(),
  number: integer(1, Number.MAX_SAFE_INTEGER),
  status: enumeration(CYCLE_STATUSES),
  order: enumeration(ROTATION_ORDERS),
  seed: nullable(opaque(64)),
  starts_on: date(),
  contribution_amount: money(),
  rules,
  rules_version: integer(1, Number.MAX_SAFE_INTEGER),
  hands: list(
    object({ position: integer(1, ROTATION_MAX_HANDS), member_id: id(), round: integer(1, ROTATION_MAX_HANDS) }),
  ),
  rounds: integer(1, ROTATION_MAX_HANDS),
  created_at: instant(),
});
export type Cycle = Value<typeof cycle>;

export const meeting = object({
  id: id(),
  association_id: id(),
  cycle_id: nullable(id()),
  round: nullable(integer(1, ROTATION_MAX_HANDS)),
  title: nullable(text(1, TITLE_MAX_CODE_POINTS)),
  due_on: date(),
  status: enumeration(MEETING_STATUSES),
  expected_amount: money(),
  collected_amount: money(),
  beneficiaries: list(object({ member_id: id(), hands: integer(1, ROTATION_MAX_HANDS) })),
  settled_at: nullable(instant()),
});
export type Meeting = Value<typeof meeting>;

export const due = object({ member_id: id(), due: money(), paid: money(), outstanding: money(), arrears: money() });
export type Due = Value<typeof due>;

export const contribution = object({
  id: id(),
  association_id: id(),
  meeting_id: id(),
  member_id: id(),
  paid_by_member_id: id(),
  wallet_id: nullable(opaque(WALLET_ID_MAX_LENGTH)),
  amount: money(),
  currency: currency(),
  method: enumeration(PAYOUT_METHODS),
  status: enumeration(CONTRIBUTION_STATUSES),
  /** What the member still owes for this meeting once this contribution counts. */
  outstanding: money(),
  transfer_id: nullable(id()),
  paid_at: nullable(instant()),
});
export type Contribution = Value<typeof contribution>;

export const settlement = object({
  id: id(),
  meeting_id: id(),
  status: enumeration(['pending', 'settled']),
  collected_amount: money(),
  expected_amount: money(),
  shortfall_amount: money(),
  payouts: list(payout),
  to_treasury_amount: money(),
  arrears: list(
    object({ member_id: id(), amount: money(), owed_to: list(object({ member_id: id(), amount: money() })) }),
  ),
  rules_version: integer(1, Number.MAX_SAFE_INTEGER),
  settled_by_member_id: id(),
  settled_at: nullable(instant()),
});
export type Settlement = Value<typeof settlement>;

const inAssociation = { association_id: id() };
const ofMeeting = { ...inAssociation, meeting_id: id() };

// Endpoints

export const startCycle = endpoint({
  name: 'contribution.start_cycle',
  path: inAssociation,
  body: {
    starts_on: date(),
    order: enumeration(ROTATION_ORDERS),
    /** For `manual`: each member once per hand. */
    member_order: optional(list(id(), 1, ROTATION_MAX_HANDS)),
  },
  status: 201,
  answer: cycle,
});

export const listCycles = endpoint({
  name: 'contribution.list_cycles',
  path: inAssociation,
  query: pageQuery,
  answer: pageOf(cycle),
});

export const getCycle = endpoint({
  name: 'contribution.get_cycle',
  path: { ...inAssociation, cycle_id: id() },
  answer: cycle,
});

/** A meeting outside a cycle. */
export const scheduleMeeting = endpoint({
  name: 'contribution.schedule_meeting',
  path: inAssociation,
  body: { due_on: optional(date()), title: optional(text(1, TITLE_MAX_CODE_POINTS)) },
  status: 201,
  answer: meeting,
});

export const listMeetings = endpoint({
  name: 'contribution.list_meetings',
  path: inAssociation,
  query: { ...pageQuery, status: optional(enumeration(MEETING_STATUSES)), cycle_id: optional(id()) },
  answer: pageOf(meeting),
});

export const getMeeting = endpoint({ name: 'contribution.get_meeting', path: ofMeeting, answer: meeting });

export const listDues = endpoint({
  name: 'contribution.list_dues',
  path: ofMeeting,
  query: pageQuery,
  answer: pageOf(due),
});

export const listContributions = endpoint({
  name: 'contribution.list_contributions',
  path: ofMeeting,
  query: pageQuery,
  answer: pageOf(contribution),
});

export const getContribution = endpoint({
  name: 'contribution.get_contribution',
  path: { ...ofMeeting, contribution_id: id() },
  answer: contribution,
});

export const contribute = endpoint({
  name: 'contribution.contribute',
  path: ofMeeting,
  body: {
    wallet_id: opaque(WALLET_ID_MAX_LENGTH),
    amount: amount(),
    pin: sealedPin(),
    /** Whose due it pays; the caller's own if absent. */
    for_member_id: optional(id()),
  },
  status: 201,
  answer: contribution,
});

export const settle = endpoint({ name: 'contribution.settle', path: ofMeeting, answer: settlement });

export const getSettlement = endpoint({
  name: 'contribution.get_settlement',
  path: { ...inAssociation, meeting_id: id() },
  answer: settlement,
});

// Commands

/** What binds a member here: a cycle that has not completed, as this service alone knows for sure. */
export const obligations = command({
  name: 'contribution.obligations',
  input: { ...inAssociation, member_id: id(), cycle_id: nullable(id()) },
  answer: object({ cycle_running: boolean(), has_arrears: boolean() }),
});

export const health = command({ name: 'contribution.health', input: {}, answer: object({ ok: boolean() }) });
