/**
 * The events of the service (contract, section 6): type -> data. Each is written to its owner's outbox in the
 * transaction of the change and relayed to JetStream; see lib/events. Amounts are safe integers of minor units.
 */
import { FREQUENCIES } from '../calendar/calendar.ts';
import {
  boolean,
  date,
  described,
  enumeration,
  id,
  instant,
  integer,
  minor,
  nullable,
  object,
  opaque,
  text,
} from '../schema/fields.ts';
import type { Field, Fields, Value, Values } from '../schema/fields.ts';
import { DECISIONS, SUBJECT_TYPES } from './approvals.ts';
import { ASSOCIATION_TYPES, associationName, currencyCode } from './membership/associations.ts';
import { approvalId, cycleId, EXAMPLE, meetingId, memberId, sha256, transferId, userId } from './ids.ts';
import { ROTATION_ORDERS } from './contribution/meetings.ts';
import { payoutMethod, transferRecord } from './treasury/ledger.ts';
import { ROLES } from './permissions.ts';

/** Error codes are far shorter. */
const CODE_MAX_LENGTH = 100;

const amountMinor = (description = 'Minor units.') => described(minor(), description, 10_000);
const code = () => described(opaque(CODE_MAX_LENGTH), 'Why: an error code.', 'insufficient_funds');
const role = (description: string) => described(enumeration(ROLES), description, 'member');
const round = () => described(integer(1, Number.MAX_SAFE_INTEGER), 'Counted from 1; null outside a cycle.', 1);
const cycleNumber = () => described(integer(1, Number.MAX_SAFE_INTEGER), 'Counted from 1 in each association.', 1);
const dueOn = () => described(date(), 'Its day.', '2026-10-05');
const decision = () => described(enumeration(DECISIONS), 'How the request ended.', 'rejected');

const approvalFact = {
  approval_id: approvalId('The approval.'),
  subject_type: described(enumeration(SUBJECT_TYPES), 'What is decided on.', 'cash_deposit'),
  subject_id: described(id(), 'The cash deposit, distribution or proposal.', EXAMPLE.cash_deposit_id),
};

const cashFact = {
  cash_deposit_id: described(id(), 'The cash deposit.', EXAMPLE.cash_deposit_id),
  meeting_id: nullable(meetingId('The meeting that it is for; null: the treasury.')),
  member_id: memberId('Who handed the cash over.'),
  amount_minor: amountMinor(),
  currency: currencyCode('ISO 4217.'),
  approval_id: approvalId(),
};

const distributionFact = {
  distribution_id: described(id(), 'The distribution.', EXAMPLE.distribution_id),
  beneficiary_member_id: memberId('Who is to be paid.'),
  amount_minor: amountMinor(),
  currency: currencyCode('ISO 4217.'),
  approval_id: approvalId(),
};

const contributionFact = {
  contribution_id: described(id(), 'The contribution.', EXAMPLE.contribution_id),
  meeting_id: meetingId(),
  member_id: memberId('Whose due it pays.'),
  paid_by_member_id: memberId('Who paid.'),
  amount_minor: amountMinor(),
  currency: currencyCode('ISO 4217.'),
  method: payoutMethod(),
};

/** What the event tells, by type. */
export const EVENT_FIELDS = {
  'association.created': {
    name: associationName(),
    type: described(enumeration(ASSOCIATION_TYPES), 'Of the association.', 'tontine'),
    currency: currencyCode('ISO 4217.'),
    contribution_frequency: described(enumeration(FREQUENCIES), 'How often contributions fall due.', 'monthly'),
  },
  'member.joined': {
    member_id: memberId(),
    user_id: userId(),
    role: role('Their role.'),
    rejoined: described(boolean(), 'Whether he had been a member before.', false),
  },
  'member.left': { member_id: memberId(), user_id: userId() },
  'association.closed': { approval_id: approvalId() },
  'member.expelled': { member_id: memberId(), user_id: userId(), approval_id: approvalId() },
  'rules.changed': {
    rules_version: described(integer(1, Number.MAX_SAFE_INTEGER), 'The new version.', 2),
    contribution_amount_minor: amountMinor('What each hand owes at each meeting from the next cycle on; minor units.'),
    max_members: described(integer(1, Number.MAX_SAFE_INTEGER), 'How many members there may be.', 100),
    approval_id: approvalId(),
  },
  'member.role_changed': {
    member_id: memberId(),
    from: role('Their role until now.'),
    to: described(enumeration(ROLES), 'Their role from now on.', 'treasurer'),
    approval_id: nullable(approvalId()),
  },
  'cycle.started': {
    cycle_id: cycleId(),
    number: cycleNumber(),
    rounds: described(integer(1, Number.MAX_SAFE_INTEGER), 'How many meetings it has.', 4),
    starts_on: described(date(), 'The day of the first round.', '2026-10-05'),
    order: nullable(
      described(enumeration(ROTATION_ORDERS), 'How the hands were put in order; null for savings.', 'draw'),
    ),
    seed: nullable(sha256('Of a draw: 256 random bits in hex. Who keeps the event sees it if another is shown later.')),
  },
  'cycle.completed': { cycle_id: cycleId(), number: cycleNumber() },
  'meeting.scheduled': {
    meeting_id: meetingId(),
    cycle_id: nullable(cycleId('Its cycle; null outside one.')),
    round: nullable(round()),
    due_on: dueOn(),
  },
  'meeting.rescheduled': {
    meeting_id: meetingId(),
    due_on: dueOn(),
    title: nullable(described(text(0, 200), 'For people.')),
  },
  'meeting.cancelled': {
    meeting_id: meetingId(),
    refunded_minor: amountMinor('What was given back; minor units.'),
    currency: currencyCode('ISO 4217.'),
  },
  'meeting.settled': {
    meeting_id: meetingId(),
    cycle_id: nullable(cycleId('Its cycle; null outside one.')),
    settlement_id: described(id(), 'The settlement.', EXAMPLE.settlement_id),
    collected_minor: amountMinor('What came in; minor units.'),
    currency: currencyCode('ISO 4217.'),
  },
  'contribution.paid': { ...contributionFact, transfer_id: transferId() },
  'contribution.failed': { ...contributionFact, code: code() },
  'cash.recorded': { ...cashFact, recorded_by_member_id: memberId('Who recorded it.', EXAMPLE.secretary_id) },
  'cash.confirmed': { ...cashFact, transfer_id: transferId() },
  'cash.rejected': { ...cashFact, decision: decision() },
  'distribution.requested': {
    ...distributionFact,
    requested_by_member_id: memberId('Who asked for it.', EXAMPLE.treasurer_id),
  },
  'distribution.paid': { ...distributionFact, transfer_id: transferId() },
  'distribution.rejected': { ...distributionFact, decision: decision() },
  'distribution.failed': { ...distributionFact, code: code() },
  'approval.requested': {
    ...approvalFact,
    requested_by_member_id: memberId('Who asked for it.', EXAMPLE.secretary_id),
    required_approvals: described(integer(0, Number.MAX_SAFE_INTEGER), 'How many votes for it take it through.', 1),
    expires_at: described(instant(), 'When it expires.', '2026-10-19T18:30:00.000Z'),
  },
  'approval.voted': {
    ...approvalFact,
    member_id: memberId('Who voted.', EXAMPLE.president_id),
    decision: described(enumeration(['approve', 'reject']), 'How.', 'approve'),
  },
  'approval.approved': approvalFact,
  'approval.rejected': approvalFact,
  'approval.expired': approvalFact,
  'approval.cancelled': approvalFact,
} satisfies Record<string, Fields>;

/** Type -> data. */
export type EventData = { [T in keyof typeof EVENT_FIELDS]: Values<(typeof EVENT_FIELDS)[T]> } & {
  'transfer.posted': Value<typeof transferRecord>;
};

export type EventType = keyof EventData;

/** The data of each type, as a field. */
export const EVENT_SCHEMAS: Record<EventType, Field> = {
  ...(Object.fromEntries(Object.entries(EVENT_FIELDS).map(([type, fields]) => [type, object(fields)])) as Record<
    keyof typeof EVENT_FIELDS,
    Field
  >),
  'transfer.posted': transferRecord,
};

/** A CloudEvents 1.0 event in JSON. */
export interface LedgerEvent<T extends EventType = EventType> {
  specversion: '1.0';
  /** UUIDv7; consumers dedupe by it. */
  id: string;
  /** `/association-service/<service>`. */
  source: string;
  type: T;
  /** The association's id; absent for what belongs to a wallet alone. */
  subject?: string;
  /** When the change was made, RFC 3339 in UTC. */
  time: string;
  datacontenttype: 'application/json';
  data: EventData[T];
}

/** The JetStream stream that carries them. */
export const STREAM = 'LEDGER';

/** The NATS subject of an event; `wallets` stands in for the association where there is none. */
export function subjectOf(association_id: string | null, type: EventType): string {
  return `ledger.v1.${association_id ?? 'wallets'}.${type}`;
}

/** The NATS subject filter that matches one type for every association. */
export function filterOf(type: EventType): string {
  return `ledger.v1.*.${type}`;
}

/** Whether a NATS subject, of whatever association, is that of an event of the type. */
export function isOfType(subject: string, type: EventType): boolean {
  return subject.endsWith(`.${type}`);
}
