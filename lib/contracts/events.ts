/**
 * The events of the service (contract, section 6): type -> data. A service writes each event to its outbox in the
 * transaction of the change, and relays it to JetStream: see lib/events. Amounts are safe integers of minor units.
 */
import { FREQUENCIES } from '../calendar/calendar.ts';
import * as t from '../schema/fields.ts';
import { DECISIONS, SUBJECT_TYPES } from './approvals.ts';
import { ROTATION_ORDERS } from './contribution/cycles.ts';
import {
  approvalId,
  at,
  cycleId,
  ERROR_CODE_MAX_LENGTH,
  EXAMPLE,
  meetingId,
  memberId,
  sha256,
  transferId,
  userId,
} from './ids.ts';
import { ASSOCIATION_TYPES, associationName, currencyCode } from './membership/associations.ts';
import { ROLES } from './permissions.ts';
import { transferRecord } from './treasury/ledger.ts';
import { payoutMethod } from './treasury/payouts.ts';

const amountMinor = (description = 'Minor units.') => t.minor(description, 10_000);
const count = (description: string, example: number) => t.integer(1, t.UNBOUNDED, description, example);

const failed = { code: t.opaque(ERROR_CODE_MAX_LENGTH, 'Why: an error code.', 'insufficient_funds') };
const rejected = { decision: t.enumeration(DECISIONS, 'How the approval ended.', 'rejected') };
const transferred = { transfer_id: transferId() };
const person = { member_id: memberId(), user_id: userId() };
const due = { due_on: t.date('The day of the meeting.', '2026-10-05') };
const ofCycle = { cycle_id: t.nullable(cycleId('Its cycle; null outside a cycle.')) };
const numberedCycle = { cycle_id: cycleId(), number: count('Counted from 1 in each association.', 1) };

const approvalFact = {
  approval_id: approvalId('The approval.'),
  subject_type: t.enumeration(SUBJECT_TYPES, 'What the board decides on.', 'cash_deposit'),
  subject_id: t.id('The cash deposit, distribution or proposal.', EXAMPLE.cash_deposit_id),
};

const sum = { amount_minor: amountMinor(), currency: currencyCode() };

const cashFact = {
  cash_deposit_id: t.id('The cash deposit.', EXAMPLE.cash_deposit_id),
  meeting_id: t.nullable(meetingId('The meeting to which it is a contribution; null: it is for the treasury.')),
  member_id: memberId('The member who paid the cash.'),
  ...sum,
  approval_id: approvalId(),
};

const distributionFact = {
  distribution_id: t.id('The distribution.', EXAMPLE.distribution_id),
  beneficiary_member_id: memberId('The member who is to be paid.'),
  ...sum,
  approval_id: approvalId(),
};

const contributionFact = {
  contribution_id: t.id('The contribution.', EXAMPLE.contribution_id),
  meeting_id: meetingId(),
  member_id: memberId('The member it was paid for.'),
  paid_by_member_id: memberId('The member who paid.'),
  ...sum,
  method: payoutMethod(),
};

/** The data of each type. */
export const EVENT_FIELDS = {
  'association.created': {
    name: associationName(),
    type: t.enumeration(ASSOCIATION_TYPES, 'The type of the association.', 'tontine'),
    currency: currencyCode(),
    contribution_frequency: t.enumeration(FREQUENCIES, 'How often contributions are due.', 'monthly'),
  },
  'member.joined': {
    ...person,
    role: t.enumeration(ROLES, 'Their role.', 'member'),
    rejoined: t.boolean('Whether they had been a member before.', false),
  },
  'member.left': person,
  'association.closed': { approval_id: approvalId() },
  'member.expelled': { ...person, approval_id: approvalId() },
  'rules.changed': {
    rules_version: count('The new version.', 2),
    contribution_amount_minor: amountMinor('What each hand owes at each meeting from the next cycle on; minor units.'),
    max_members: count('The largest number of members.', 100),
    approval_id: approvalId(),
  },
  'member.role_changed': {
    member_id: memberId(),
    from: t.enumeration(ROLES, 'Their role until now.', 'member'),
    to: t.enumeration(ROLES, 'Their role from now on.', 'treasurer'),
    approval_id: t.nullable(approvalId()),
  },
  'cycle.started': {
    ...numberedCycle,
    rounds: count('The number of rounds. Each is one meeting.', 4),
    starts_on: t.date('The day of the first round.', '2026-10-05'),
    order: t.nullable(t.enumeration(ROTATION_ORDERS, 'How the order of turns was made; null for savings.', 'draw')),
    seed: t.nullable(sha256('Of a draw: 256 random bits in hex. A kept event proves that they did not change.')),
  },
  'cycle.completed': numberedCycle,
  'meeting.scheduled': {
    meeting_id: meetingId(),
    ...ofCycle,
    round: t.nullable(count('Its place in the cycle, from 1; null outside a cycle.', 1)),
    ...due,
  },
  'meeting.rescheduled': { meeting_id: meetingId(), ...due, title: t.nullable(t.text(0, 200, 'For people.')) },
  'meeting.cancelled': {
    meeting_id: meetingId(),
    refunded_minor: amountMinor('What was refunded; minor units.'),
    currency: currencyCode(),
  },
  'meeting.settled': {
    meeting_id: meetingId(),
    ...ofCycle,
    settlement_id: t.id('The settlement.', EXAMPLE.settlement_id),
    collected_minor: amountMinor('What was paid for the meeting; minor units.'),
    currency: currencyCode(),
  },
  'contribution.paid': { ...contributionFact, ...transferred },
  'contribution.failed': { ...contributionFact, ...failed },
  'cash.recorded': {
    ...cashFact,
    recorded_by_member_id: memberId('The member who recorded it.', EXAMPLE.secretary_id),
  },
  'cash.confirmed': { ...cashFact, ...transferred },
  'cash.rejected': { ...cashFact, ...rejected },
  'distribution.requested': {
    ...distributionFact,
    requested_by_member_id: memberId('The member who requested it.', EXAMPLE.treasurer_id),
  },
  'distribution.paid': { ...distributionFact, ...transferred },
  'distribution.rejected': { ...distributionFact, ...rejected },
  'distribution.failed': { ...distributionFact, ...failed },
  'approval.requested': {
    ...approvalFact,
    requested_by_member_id: memberId('The member who requested it.', EXAMPLE.secretary_id),
    required_approvals: t.integer(0, t.UNBOUNDED, 'The number of votes that approve it.', 1),
    expires_at: at('When it expires.', '2026-10-19T18:30:00.000Z'),
  },
  'approval.voted': {
    ...approvalFact,
    member_id: memberId('The member who voted.', EXAMPLE.president_id),
    decision: t.enumeration(['approve', 'reject'], 'Their vote.', 'approve'),
  },
  'approval.approved': approvalFact,
  'approval.rejected': approvalFact,
  'approval.expired': approvalFact,
  'approval.cancelled': approvalFact,
} satisfies Record<string, t.Fields>;

/** Type -> data. */
export type EventData = { [T in keyof typeof EVENT_FIELDS]: t.Values<(typeof EVENT_FIELDS)[T]> } & {
  'transfer.posted': t.Value<typeof transferRecord>;
};

export type EventType = keyof EventData;

/** The data of each type as a field. */
export const EVENT_SCHEMAS: Record<EventType, t.Field> = {
  ...(Object.fromEntries(Object.entries(EVENT_FIELDS).map(([type, fields]) => [type, t.object(fields)])) as Record<
    keyof typeof EVENT_FIELDS,
    t.Field
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
  /** The association's id; absent for deposits to and withdrawals from a wallet. */
  subject?: string;
  /** When the change was made, RFC 3339 in UTC. */
  time: string;
  datacontenttype: 'application/json';
  data: EventData[T];
}

/** The JetStream stream of the events. */
export const STREAM = 'LEDGER';

/** The NATS subject of an event; without an association, `wallets` is in its place. */
export function subjectOf(association_id: string | null, type: EventType): string {
  return `ledger.v1.${association_id ?? 'wallets'}.${type}`;
}

/** The NATS subject filter of one type in all associations. */
export function filterOf(type: EventType): string {
  return `ledger.v1.*.${type}`;
}

/** Whether a NATS subject is that of an event of this type, in any association. */
export function isOfType(subject: string, type: EventType): boolean {
  return subject.endsWith(`.${type}`);
}
