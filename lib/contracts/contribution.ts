/** Contribution: cycles, meetings, contributions, settlements. */
import {
  amount,
  boolean,
  currency,
  date,
  described,
  enumeration,
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
import { always, command, endpoint } from './action.ts';
import { REMAINS } from './approvals.ts';
import {
  contribution,
  cycle,
  due,
  EXAMPLE_KITTY,
  EXAMPLE_PENDING_CONTRIBUTION,
  EXAMPLE_PENDING_SETTLEMENT,
  meeting,
  MEETING_STATUSES,
  ROTATION_ORDERS,
  settlement,
  settlementPreview,
} from './contribution/meetings.ts';
import {
  associationId,
  cycleId,
  EXAMPLE,
  EXAMPLE_HASH,
  HEX_256_LENGTH,
  meetingId,
  meetingReference,
  memberId,
  ROTATION_MAX_HANDS,
  sealedPin,
  TITLE_MAX_CODE_POINTS,
  walletId,
} from './ids.ts';
import { pageOf, pageQuery } from './lists.ts';
import { STATEMENT_MAX_MOVEMENTS } from './treasury/ledger.ts';

export * from './contribution/meetings.ts';

/** A year of daily meetings and a day (contract, section 3). */
const SAVINGS_MAX_ROUNDS = 366;

const inAssociation = { association_id: associationId() };
const ofMeeting = { ...inAssociation, meeting_id: meetingId() };

// Endpoints

export const startCycle = endpoint({
  name: 'contribution.start_cycle',
  tag: 'Cycles',
  summary: 'Start a cycle',
  description:
    'Pins the members, their hands, the amount and the rules, and makes every meeting, one round each. Round n is due n−1 ' +
    "periods after `starts_on`, counted from that day and clamped to the month's end. A tontine takes `order`, and for " +
    '`manual` also `member_order`; its rounds follow from its hands. Savings take `rounds` and no order. A cycle cannot ' +
    'be withdrawn, so a draw cannot be repeated.',
  permission: 'start_cycle',
  refuses: [
    'cycle_not_supported',
    'cycle_in_progress',
    'not_enough_members',
    'hands_not_divisible',
    'balance_limit_exceeded',
  ],
  path: inAssociation,
  body: {
    starts_on: described(date(), 'The day of the first round; may be past.', '2026-10-05'),
    order: described(
      optional(enumeration(ROTATION_ORDERS)),
      'A tontine needs one, savings take none. `join`: as they joined. `draw`: by lot. `manual`: as `member_order` says.',
      'draw',
    ),
    member_order: described(
      optional(list(id(), 1, ROTATION_MAX_HANDS)),
      'For `manual`: the members in the order of their turns, each once per hand.',
      [EXAMPLE.president_id, EXAMPLE.member_id, EXAMPLE.secretary_id, EXAMPLE.treasurer_id],
    ),
    rounds: described(
      optional(integer(1, SAVINGS_MAX_ROUNDS)),
      'Savings need it; the rounds of a tontine follow from its hands.',
      12,
    ),
  },
  status: 201,
  answer: cycle,
  examples: { body: { starts_on: '2026-10-05', order: 'draw' } },
});

export const listCycles = endpoint({
  name: 'contribution.list_cycles',
  tag: 'Cycles',
  summary: 'List cycles',
  description: 'The newest first.',
  permission: 'read',
  path: inAssociation,
  query: pageQuery,
  answer: pageOf(cycle),
});

export const getCycle = endpoint({
  name: 'contribution.get_cycle',
  tag: 'Cycles',
  summary: 'Show a cycle with its rotation',
  description: "From a draw's `seed` and the members anyone can recompute the order: `npm run verify -- draw <file>`.",
  permission: 'read',
  path: { ...inAssociation, cycle_id: cycleId() },
  answer: cycle,
});

const dueOn = (description: string) => described(optional(date()), description, '2026-10-05');
const title = () => described(optional(text(1, TITLE_MAX_CODE_POINTS)), 'For people.', 'Kitty of October');

/** A meeting outside a cycle. */
export const scheduleMeeting = endpoint({
  name: 'contribution.schedule_meeting',
  tag: 'Meetings',
  summary: 'Schedule a meeting outside a cycle',
  description: 'In an association of any type. What comes in goes to the treasury when it is settled; nothing is due.',
  permission: 'schedule_meeting',
  path: inAssociation,
  body: { due_on: dueOn('The day; today if absent.'), title: title() },
  status: 201,
  answer: meeting,
  examples: { answer: EXAMPLE_KITTY },
});

export const listMeetings = endpoint({
  name: 'contribution.list_meetings',
  tag: 'Meetings',
  summary: 'List meetings',
  description: 'The rounds of a cycle in their order.',
  permission: 'read',
  path: inAssociation,
  query: {
    ...pageQuery,
    status: described(optional(enumeration(MEETING_STATUSES)), 'Only with this status.', 'open'),
    cycle_id: optional(cycleId('Only of this cycle.')),
  },
  answer: pageOf(meeting),
});

export const getMeeting = endpoint({
  name: 'contribution.get_meeting',
  tag: 'Meetings',
  summary: 'Show a meeting',
  permission: 'read',
  path: ofMeeting,
  answer: meeting,
});

/** Reschedules or renames an open meeting; a round stays between its neighbours. */
export const changeMeeting = endpoint({
  name: 'contribution.change_meeting',
  tag: 'Meetings',
  summary: 'Reschedule or rename an open meeting',
  description: 'What is not given stays as it is. A round stays between its neighbours.',
  permission: 'schedule_meeting',
  refuses: ['meeting_not_open'],
  path: ofMeeting,
  body: { due_on: dueOn('The new day.'), title: title() },
  answer: meeting,
  examples: { body: { due_on: '2026-10-07' } },
});

/** Cancels a meeting outside a cycle and gives every contribution back. */
export const cancelMeeting = endpoint({
  name: 'contribution.cancel_meeting',
  tag: 'Meetings',
  summary: 'Cancel a meeting outside a cycle',
  description:
    'Gives every contribution back, in one transfer: wallet money into the wallets that it came from, cash as cash. 202 ' +
    'while the outcome is not known yet: it is cancelled, or open again, by itself.',
  permission: 'schedule_meeting',
  refuses: ['meeting_in_cycle', 'meeting_not_open', 'contributions_in_flight', 'balance_limit_exceeded'],
  also: [202],
  path: ofMeeting,
  answer: meeting,
  examples: {
    answer: { ...EXAMPLE_KITTY, status: 'cancelled' },
    accepted: { ...EXAMPLE_KITTY, status: 'settling', collected_amount: 30_000 },
  },
});

export const listDues = endpoint({
  name: 'contribution.list_dues',
  tag: 'Contributions',
  summary: 'List what each member owes for a meeting',
  description:
    'In the order in which they joined. For a meeting outside a cycle nothing is due, and who has paid is listed.',
  permission: 'read',
  path: ofMeeting,
  query: pageQuery,
  answer: pageOf(due),
});

export const listContributions = endpoint({
  name: 'contribution.list_contributions',
  tag: 'Contributions',
  summary: 'List the contributions to a meeting',
  description: 'The newest first. One that was refused at once is not listed.',
  permission: 'read',
  path: ofMeeting,
  query: pageQuery,
  answer: pageOf(contribution),
});

export const getContribution = endpoint({
  name: 'contribution.get_contribution',
  tag: 'Contributions',
  summary: 'Show a contribution',
  permission: 'read',
  path: { ...ofMeeting, contribution_id: described(id(), 'The contribution.', EXAMPLE.contribution_id) },
  answer: contribution,
});

export const contribute = endpoint({
  name: 'contribution.contribute',
  tag: 'Contributions',
  summary: 'Contribute to a meeting from a wallet',
  description:
    "From one of the caller's own wallets, for himself or for another member. In a cycle at most what is outstanding; in " +
    'parts and in advance as he likes. Outside a cycle without a limit. To a settled round: up to the arrears, straight ' +
    'to whom they are owed. 202 while the outcome is not known yet: the contribution becomes `paid` or `failed` by ' +
    'itself, never both, and money moves once.',
  permission: 'contribute',
  refuses: [
    'meeting_not_open',
    'contribution_exceeds_due',
    'wallet_currency_mismatch',
    'insufficient_funds',
    'balance_limit_exceeded',
  ],
  also: [202],
  path: ofMeeting,
  body: {
    wallet_id: walletId("One of the caller's own."),
    amount: described(amount(), 'How much.', 10_000),
    pin: sealedPin(),
    for_member_id: optional(memberId("Whose due it pays; the caller's own if absent.")),
  },
  status: 201,
  answer: contribution,
  examples: { accepted: EXAMPLE_PENDING_CONTRIBUTION },
});

/** What settling would do now. */
export const previewSettlement = endpoint({
  name: 'contribution.preview_settlement',
  tag: 'Settlement',
  summary: 'Preview what settling would do now',
  description: 'Computed as settling would; with its `preview_hash` settling does that and nothing else.',
  permission: 'read',
  refuses: ['meeting_not_open'],
  path: ofMeeting,
  answer: settlementPreview,
});

export const settle = endpoint({
  name: 'contribution.settle',
  tag: 'Settlement',
  summary: 'Settle a meeting',
  description:
    'Closes the meeting and pays out what came in, in one transfer. Rounds settle in order; before its day a round settles ' +
    'only when all is paid. It waits a moment for contributions in flight. 202 while the outcome is not known yet: it is ' +
    'settled, or open again, by itself. Send the `preview_hash` of the preview that was shown, and it settles that and ' +
    'nothing else.',
  permission: 'settle',
  refuses: [
    'meeting_not_open',
    'earlier_round_open',
    'contributions_in_flight',
    'settlement_changed',
    'meeting_not_due',
    'meeting_underfunded',
    'balance_limit_exceeded',
  ],
  also: [202],
  path: ofMeeting,
  body: {
    preview_hash: described(
      optional(opaque(HEX_256_LENGTH)),
      'What the preview showed: settles that and nothing else.',
      EXAMPLE_HASH,
    ),
  },
  answer: settlement,
  examples: { accepted: EXAMPLE_PENDING_SETTLEMENT },
});

export const getSettlement = endpoint({
  name: 'contribution.get_settlement',
  tag: 'Settlement',
  summary: 'Show the settlement of a meeting',
  permission: 'read',
  path: ofMeeting,
  answer: settlement,
});

// Commands

/** What binds a member here: a cycle that has not completed, as this service alone knows for sure. */
export const obligations = command({
  name: 'contribution.obligations',
  reads: always,
  input: { ...inAssociation, member_id: id(), cycle_id: nullable(id()) },
  answer: object({ cycle_running: boolean(), has_arrears: boolean() }),
});

/**
 * What a member's statement says of meetings: which of them these transfers are about, and what the member owes and is
 * owed from each settled round. The totals are of all rounds, the list is of the oldest.
 */
export const statementFacts = command({
  name: 'contribution.statement_facts',
  reads: always,
  input: { ...inAssociation, member_id: id(), transfer_ids: list(id(), 0, STATEMENT_MAX_MOVEMENTS) },
  answer: object({
    meetings: list(object({ meeting: meetingReference, transfer_ids: list(id()) })),
    owes_minor: minor(),
    is_owed_minor: minor(),
    arrears: list(object({ meeting: meetingReference, owes_minor: minor(), is_owed_minor: minor(), since: instant() })),
  }),
});

/**
 * Takes a member's due for cash that the board has yet to confirm: a contribution of method `cash`, pending. Once for
 * its id. Refuses with not_found, meeting_not_open, contribution_exceeds_due.
 */
export const takeCash = command({
  name: 'contribution.take_cash',
  input: { ...ofMeeting, contribution_id: id(), member_id: id(), amount_minor: minor(), currency: currency() },
  answer: object({ ok: boolean() }),
});

/** Tells how the board's decision on such cash ended: in the pool, by the transfer of the same id, or not at all. */
export const decideCash = command({
  name: 'contribution.decide_cash',
  input: { ...inAssociation, contribution_id: id(), paid: boolean(), code: nullable(text(1, 100)) },
  answer: object({ ok: boolean() }),
});

/**
 * Locks an association that has no open cycle or meeting and no arrears, nor a cycle that may start: none can come to be
 * after. Once locked it answers the same again. A caller that gets `undecided` asks again.
 */
export const lockAssociation = command({
  name: 'contribution.lock_association',
  input: { ...inAssociation, approval_id: id(), dry_run: boolean() },
  answer: object({ remains: enumeration(REMAINS) }),
});

/** Undoes the lock of this approval. */
export const unlockAssociation = command({
  name: 'contribution.unlock_association',
  input: { ...inAssociation, approval_id: id() },
  answer: object({ ok: boolean() }),
});

export const health = command({
  name: 'contribution.health',
  input: {},
  answer: object({ ok: boolean(), delayed_events: optional(boolean()) }),
});
