import type { SubjectType } from '../../../lib/contracts/approvals.ts';
import type { APPROVAL_STATUSES, EXECUTION_STATUSES, VOTE_DECISIONS } from '../../../lib/contracts/governance.ts';
import { instant, integer, json, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import { statesWhere, type StateTable } from '../../../lib/saga/states.ts';

export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];
export type VoteDecision = (typeof VOTE_DECISIONS)[number];

/** A decision is final. Its execution is a saga, see executions/. */
export const APPROVAL_STATES: StateTable<ApprovalStatus> = {
  pending: { next: ['approved', 'rejected', 'expired', 'cancelled'] },
  approved: { next: [] },
  rejected: { next: [] },
  expired: { next: [] },
  cancelled: { next: [] },
};

/** The statuses from which a request can still be decided. */
export const PENDING = statesWhere(APPROVAL_STATES, ({ next }) => next.length > 0);

export const approvals = table('approvals', {
  id: key(uuid()),
  association_id: uuid(),
  subject_type: text<SubjectType>(),
  subject_id: uuid(),
  payload: json<Record<string, unknown>>(),
  payload_hash: text(),
  status: text<ApprovalStatus>(),
  required_approvals: integer(),
  requested_by_member_id: uuid(),
  concerned_member_id: optional(uuid()),
  requested_at: instant(),
  expires_at: instant(),
  decided_at: optional(instant()),
  execution_status: text<ExecutionStatus>(),
  execution_error: optional(text()),
  /** Set while review-approvals.ts must evaluate the votes again. Each possible change of the board sets another id. */
  rejudge_mark: optional(uuid()),
  /** The operation that cancelled the approval, which identifies a repeat of its request. */
  cancelled_by_operation_id: optional(uuid()),
});
export type ApprovalRow = RowOf<typeof approvals>;

export const votes = table('votes', {
  approval_id: key(uuid()),
  member_id: key(uuid()),
  decision: text<VoteDecision>(),
  /** Why the voter rejects; null for an approval, or if they give no reason. */
  reason: optional(text()),
  voted_at: instant(),
  /** The operation that cast the vote, which identifies a repeat of its request. Null for votes older than this column. */
  operation_id: optional(uuid()),
});
export type VoteRow = RowOf<typeof votes>;
