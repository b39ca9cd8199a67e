/**
 * The events of the service (contract, section 6): type -> data. Each is written to its owner's outbox in the
 * transaction of the change and relayed to JetStream; see lib/events. Amounts are safe integers of minor units.
 */
import type { Frequency } from '../calendar/calendar.ts';
import type { Decision, SubjectType } from './approvals.ts';
import type { Role } from './permissions.ts';
import type { TransferRecord } from './treasury.ts';

interface ApprovalFact {
  approval_id: string;
  subject_type: SubjectType;
  subject_id: string;
}

interface CashFact {
  cash_deposit_id: string;
  member_id: string;
  amount_minor: number;
  currency: string;
  approval_id: string;
}

interface DistributionFact {
  distribution_id: string;
  beneficiary_member_id: string;
  amount_minor: number;
  currency: string;
  approval_id: string;
}

interface ContributionFact {
  contribution_id: string;
  meeting_id: string;
  member_id: string;
  paid_by_member_id: string;
  amount_minor: number;
  currency: string;
}

export interface EventData {
  'association.created': { name: string; type: string; currency: string; contribution_frequency: Frequency };
  'member.joined': { member_id: string; user_id: string; role: Role; rejoined: boolean };
  'member.left': { member_id: string; user_id: string };
  'member.role_changed': { member_id: string; from: Role; to: Role; approval_id: string | null };
  'cycle.started': { cycle_id: string; number: number; rounds: number; starts_on: string };
  'cycle.completed': { cycle_id: string; number: number };
  'meeting.scheduled': { meeting_id: string; cycle_id: string | null; round: number | null; due_on: string };
  'meeting.settled': {
    meeting_id: string;
    cycle_id: string | null;
    settlement_id: string;
    collected_minor: number;
    currency: string;
  };
  'contribution.paid': ContributionFact & { transfer_id: string };
  'contribution.failed': ContributionFact & { code: string };
  'transfer.posted': TransferRecord;
  'cash.recorded': CashFact & { recorded_by_member_id: string };
  'cash.confirmed': CashFact & { transfer_id: string };
  'cash.rejected': CashFact & { decision: Decision };
  'distribution.requested': DistributionFact & { requested_by_member_id: string };
  'distribution.paid': DistributionFact & { transfer_id: string };
  'distribution.rejected': DistributionFact & { decision: Decision };
  'distribution.failed': DistributionFact & { code: string };
  'approval.requested': ApprovalFact & {
    requested_by_member_id: string;
    required_approvals: number;
    expires_at: string;
  };
  'approval.voted': ApprovalFact & { member_id: string; decision: 'approve' | 'reject' };
  'approval.approved': ApprovalFact;
  'approval.rejected': ApprovalFact;
  'approval.expired': ApprovalFact;
  'approval.cancelled': ApprovalFact;
}

export type EventType = keyof EventData;

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
