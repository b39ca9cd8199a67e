/**
 * The events of the services and their data. A service writes each event to its outbox in the transaction of the
 * change, and relays it to JetStream (see lib/events). Amounts are safe integers in minor units.
 */
import { FREQUENCIES } from '../calendar/calendar.ts';
import * as t from './fields.ts';
import { DECISIONS, SUBJECT_TYPES } from './approvals.ts';
import { attendanceEntry } from './contribution/attendance.ts';
import { ROTATION_ORDERS } from './contribution/cycles.ts';
import { ASSOCIATION_TYPES, associationDescription, associationName, isPublic } from './membership/associations.ts';
import { fineCode } from './membership/fine-rules.ts';
import { metadata } from './metadata.ts';
import { ROLES } from './permissions.ts';
import { transferKind, transferRecord } from './treasury/ledger.ts';

const amountMinor = (description = 'In minor units.') => t.minor(description, 10_000);
const count = (description: string, example: number) => t.integer(1, t.UNBOUNDED, description, example);

const failed = { code: t.opaque(t.ERROR_CODE_MAX_LENGTH, 'The error code of the reason.', 'insufficient_funds') };
const rejected = { decision: t.enumeration(DECISIONS, 'How the approval ended.', 'rejected') };
const transferred = { transfer_id: t.transferId() };
const person = { member_id: t.memberId(), user_id: t.userId() };
const due = { due_on: t.date('The day of the meeting.', '2026-10-05') };
const ofCycle = { cycle_id: t.nullable(t.cycleId('Its cycle; null outside a cycle.')) };
const numberedCycle = { cycle_id: t.cycleId(), number: count('Counted from 1 in each association.', 1) };

const approvalFact = {
  approval_id: t.approvalId('The approval.'),
  subject_type: t.enumeration(SUBJECT_TYPES, 'What the board decides on.', 'cash_deposit'),
  subject_id: t.id('The cash deposit, distribution, correction, meeting sheet or proposal.', t.EXAMPLE.cash_deposit_id),
};

const sum = { amount_minor: amountMinor(), currency: t.currencyCode() };

const cashFact = {
  cash_deposit_id: t.id('The cash deposit.', t.EXAMPLE.cash_deposit_id),
  meeting_id: t.nullable(
    t.meetingId('The meeting to which the cash is a contribution; null if it is for the treasury.'),
  ),
  member_id: t.memberId('The member who paid the cash.'),
  ...sum,
  approval_id: t.approvalId(),
  metadata,
};

const distributionFact = {
  distribution_id: t.id('The distribution.', t.EXAMPLE.distribution_id),
  beneficiary_member_id: t.memberId('The member who will be paid.'),
  ...sum,
  approval_id: t.approvalId(),
  metadata,
};

const fineFact = {
  fine_id: t.fineId(),
  member_id: t.memberId('The member who owes it.'),
  code: fineCode(),
  meeting_id: t.nullable(t.meetingId('The meeting that it is for; null if it is for none.')),
};

const sheetFact = {
  sheet_id: t.id('The meeting sheet.', t.EXAMPLE.sheet_id),
  meeting_id: t.meetingId(),
  amount_minor: amountMinor('The sum of its lines, in minor units.'),
  currency: t.currencyCode(),
  recorded_by_member_id: t.memberId('The member who submitted it.', t.EXAMPLE.secretary_id),
  approval_id: t.approvalId(),
};

const contributionFact = {
  contribution_id: t.id('The contribution.', t.EXAMPLE.contribution_id),
  meeting_id: t.meetingId(),
  member_id: t.memberId('The member it was paid for.'),
  paid_by_member_id: t.memberId('The member who paid.'),
  ...sum,
  method: t.paymentMethod(),
  metadata,
};

/** What can happen to the PIN of a user. A right PIN that is hashed again, as while its pepper is replaced, stays the same. */
const PIN_CHANGES = ['set', 'changed', 'reset'] as const;

/** The data of each type of event. */
export const EVENT_SCHEMAS = {
  'association.created': t.object({
    name: associationName(),
    type: t.enumeration(ASSOCIATION_TYPES, 'The type of the association.', 'tontine'),
    currency: t.currencyCode(),
    contribution_frequency: t.enumeration(FREQUENCIES, 'How often contributions are due.', 'monthly'),
    time_zone: t.describe(
      t.optional(t.timeZone()),
      'The time zone of its days. Absent in older events.',
      'Africa/Douala',
    ),
    metadata,
  }),
  'association.updated': t.object({
    name: associationName(),
    description: t.nullable(associationDescription()),
    is_public: isPublic(),
    metadata,
  }),
  'member.joined': t.object({
    ...person,
    role: t.enumeration(ROLES, 'Their role.', 'member'),
    rejoined: t.boolean('Whether they had been a member before.', false),
  }),
  'member.left': t.object(person),
  'association.closed': t.object({ approval_id: t.approvalId(), metadata }),
  'member.expelled': t.object({ ...person, approval_id: t.approvalId() }),
  'rules.changed': t.object({
    rules_version: count('The new version.', 2),
    contribution_amount_minor: amountMinor(
      'What each hand owes at each meeting from the next cycle on, in minor units.',
    ),
    max_members: count('The maximum number of members.', 100),
    approval_id: t.approvalId(),
  }),
  'member.role_changed': t.object({
    member_id: t.memberId(),
    from: t.enumeration(ROLES, 'Their role until now.', 'member'),
    to: t.enumeration(ROLES, 'Their role from now on.', 'treasurer'),
    approval_id: t.nullable(t.approvalId()),
  }),
  'pin.changed': t.object({
    user_id: t.userId('The user whose PIN it is.'),
    reason: t.enumeration(
      PIN_CHANGES,
      '`set`: they had none. `changed`: they replaced it. `reset`: an operator deleted it with its lock.',
      'changed',
    ),
  }),
  'cycle.started': t.object({
    ...numberedCycle,
    rounds: count('The number of rounds. Each is one meeting.', 4),
    starts_on: t.date('The day of the first round.', '2026-10-05'),
    order: t.nullable(t.enumeration(ROTATION_ORDERS, 'How the order of turns was decided; null for savings.', 'draw')),
    seed: t.nullable(t.sha256('For a draw: 256 random bits in hex. A stored event proves that they did not change.')),
  }),
  'cycle.completed': t.object(numberedCycle),
  'meeting.scheduled': t.object({
    meeting_id: t.meetingId(),
    ...ofCycle,
    round: t.nullable(count('Its place in the cycle, from 1; null outside a cycle.', 1)),
    ...due,
  }),
  'meeting.rescheduled': t.object({
    meeting_id: t.meetingId(),
    ...due,
    title: t.nullable(t.text(0, 200, 'The title.')),
  }),
  'meeting.cancelled': t.object({
    meeting_id: t.meetingId(),
    refunded_minor: amountMinor('What was refunded, in minor units.'),
    currency: t.currencyCode(),
  }),
  'meeting.settled': t.object({
    meeting_id: t.meetingId(),
    ...ofCycle,
    settlement_id: t.id('The settlement.', t.EXAMPLE.settlement_id),
    collected_minor: amountMinor('What was paid for the meeting, in minor units.'),
    currency: t.currencyCode(),
  }),
  'contribution.paid': t.object({ ...contributionFact, ...transferred }),
  'contribution.failed': t.object({ ...contributionFact, ...failed }),
  'attendance.recorded': t.object({
    meeting_id: t.meetingId(),
    entries: t.list(attendanceEntry, 'The recorded entries. Those of other members are as before.'),
    recorded_by_member_id: t.memberId('The member who recorded it.', t.EXAMPLE.secretary_id),
  }),
  'fine.assessed': t.object({
    ...fineFact,
    period: count('Counts the fines of a rule that repeats, for one member and meeting.', 1),
    ...sum,
    rules_version: count('The version of the rules.', 1),
    assessed_by_member_id: t.nullable(
      t.memberId('The member who assessed it; null for the service.', t.EXAMPLE.secretary_id),
    ),
  }),
  'fine.paid': t.object({
    ...fineFact,
    ...sum,
    outstanding_minor: amountMinor('What is left to pay, in minor units.'),
    ...transferred,
  }),
  'fine.waived': t.object({
    ...fineFact,
    waived_minor: amountMinor('What need not be paid, in minor units.'),
    currency: t.currencyCode(),
    approval_id: t.approvalId(),
  }),
  'sheet.submitted': t.object(sheetFact),
  'sheet.confirmed': t.object({
    ...sheetFact,
    transfer_id: t.nullable(t.transferId('The transfer of all its lines; null if it has none.')),
  }),
  'sheet.rejected': t.object({
    ...sheetFact,
    ...rejected,
    code: t.nullable(failed.code, null),
  }),
  'cash.recorded': t.object({
    ...cashFact,
    recorded_by_member_id: t.memberId('The member who recorded it.', t.EXAMPLE.secretary_id),
  }),
  'cash.confirmed': t.object({ ...cashFact, ...transferred }),
  'cash.rejected': t.object({ ...cashFact, ...rejected }),
  'distribution.requested': t.object({
    ...distributionFact,
    requested_by_member_id: t.memberId('The member who requested it.', t.EXAMPLE.treasurer_id),
  }),
  'distribution.paid': t.object({ ...distributionFact, ...transferred }),
  'distribution.rejected': t.object({ ...distributionFact, ...rejected }),
  'distribution.failed': t.object({ ...distributionFact, ...failed }),
  'approval.requested': t.object({
    ...approvalFact,
    requested_by_member_id: t.memberId('The member who requested it.', t.EXAMPLE.secretary_id),
    required_approvals: t.integer(0, t.UNBOUNDED, 'The number of approving votes that are needed.', 1),
    expires_at: t.at('When it expires.', '2026-10-19T18:30:00.000Z'),
  }),
  'approval.voted': t.object({
    ...approvalFact,
    member_id: t.memberId('The member who voted.', t.EXAMPLE.president_id),
    decision: t.enumeration(['approve', 'reject'], 'Their vote.', 'approve'),
  }),
  'approval.approved': t.object(approvalFact),
  'approval.rejected': t.object(approvalFact),
  'approval.expired': t.object(approvalFact),
  'approval.cancelled': t.object(approvalFact),
  'transfer.posted': transferRecord,
  'transfer.reversed': t.object({
    transfer_id: t.transferId('The transfer that was reversed; a contribution or cash deposit has the same id.'),
    kind: transferKind('Its kind.'),
    reversal_transfer_id: t.id('The transfer that reverses it.', t.EXAMPLE.correction_id),
    correction_id: t.id('The correction.', t.EXAMPLE.correction_id),
    approval_id: t.approvalId(),
  }),
} satisfies Record<string, t.Field>;

export type EventType = keyof typeof EVENT_SCHEMAS;

/**
 * The service that publishes each type. NATS lets only that service's login publish it: see deploy/nats/permissions.conf,
 * which is written from these tables.
 */
export const PUBLISHERS: Record<EventType, 'membership' | 'contribution' | 'treasury' | 'governance'> = {
  'association.created': 'membership',
  'association.updated': 'membership',
  'association.closed': 'membership',
  'member.joined': 'membership',
  'member.left': 'membership',
  'member.expelled': 'membership',
  'member.role_changed': 'membership',
  'rules.changed': 'membership',
  'pin.changed': 'membership',
  'cycle.started': 'contribution',
  'cycle.completed': 'contribution',
  'meeting.scheduled': 'contribution',
  'meeting.rescheduled': 'contribution',
  'meeting.cancelled': 'contribution',
  'meeting.settled': 'contribution',
  'contribution.paid': 'contribution',
  'contribution.failed': 'contribution',
  'attendance.recorded': 'contribution',
  'fine.assessed': 'contribution',
  'fine.paid': 'contribution',
  'fine.waived': 'contribution',
  'sheet.submitted': 'contribution',
  'sheet.confirmed': 'contribution',
  'sheet.rejected': 'contribution',
  'cash.recorded': 'treasury',
  'cash.confirmed': 'treasury',
  'cash.rejected': 'treasury',
  'distribution.requested': 'treasury',
  'distribution.paid': 'treasury',
  'distribution.rejected': 'treasury',
  'distribution.failed': 'treasury',
  'transfer.posted': 'treasury',
  'transfer.reversed': 'treasury',
  'approval.requested': 'governance',
  'approval.voted': 'governance',
  'approval.approved': 'governance',
  'approval.rejected': 'governance',
  'approval.expired': 'governance',
  'approval.cancelled': 'governance',
};

/**
 * The only service whose login may create the stream and change its settings: a stream can record every subject, and republish
 * its messages to every other. This service moves the money anyway.
 */
export const KEEPER = 'treasury';

/**
 * The durable consumers of the services' subscriptions, and the type of event that each gets. A name begins with the
 * service's, and never changes: a renamed consumer would get every event again.
 */
export const CONSUMERS = {
  'membership-cycle-completed': 'cycle.completed',
  'governance-member-expelled': 'member.expelled',
  'governance-member-left': 'member.left',
  'governance-member-role-changed': 'member.role_changed',
} as const satisfies Record<`${string}-${string}`, EventType>;

export type Durable = keyof typeof CONSUMERS;

/** The data of an event by its type. */
export type EventData = { [T in EventType]: t.Value<(typeof EVENT_SCHEMAS)[T]> };

/** A CloudEvents 1.0 event in JSON. */
export interface LedgerEvent<T extends EventType = EventType> {
  specversion: '1.0';
  /** A UUIDv7, by which consumers deduplicate. */
  id: string;
  /** `/association-service/<service>`. */
  source: string;
  type: T;
  /** The id of the association; absent for what belongs to none: deposits to and withdrawals from a wallet, and PINs. */
  subject?: string;
  /** The time of the change, RFC 3339 in UTC. */
  time: string;
  datacontenttype: 'application/json';
  /** The trace of the request that caused it (CloudEvents Distributed Tracing extension). */
  traceparent?: string;
  /** The `X-Request-Id` of that request. */
  requestid?: string;
  data: EventData[T];
}

/** An event of any type, whose `type` decides the form of its `data`. */
export type AnyEvent = { [T in EventType]: LedgerEvent<T> }[EventType];

/** The JetStream stream of the events. */
export const STREAM = 'LEDGER';

/** Returns the NATS subject of an event. An event without an association has `wallets` instead of the id. */
export function subjectOf(association_id: string | null, type: EventType): string {
  return `ledger.v1.${association_id ?? 'wallets'}.${type}`;
}

/** Returns the service that publishes to a subject; undefined for an unknown type. */
export function publisherOf(subject: string): (typeof PUBLISHERS)[EventType] | undefined {
  return (PUBLISHERS as Record<string, (typeof PUBLISHERS)[EventType]>)[subject.split('.').slice(3).join('.')];
}

/** Instead of a type, in subscriptions: all types, also those of later releases. */
export const ALL_TYPES = '*';

/** Returns the NATS subject filter for one type of event, or for all, in all associations. */
export function filterOf(type: EventType | typeof ALL_TYPES): string {
  return `ledger.v1.*.${type === ALL_TYPES ? '>' : type}`;
}

/** Whether a NATS subject belongs to an event of this type, in any association. */
export function isOfType(subject: string, type: EventType | typeof ALL_TYPES): boolean {
  return type === ALL_TYPES || subject.endsWith(`.${type}`);
}
