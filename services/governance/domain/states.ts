/** The state machines of governance, as tables: state -> the states that may follow it. */
import type { APPROVAL_STATUSES, EXECUTION_STATUSES } from '../../../lib/contracts/governance.ts';

export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** A decision is final: what is executed of it is another fact. */
export const APPROVAL_TRANSITIONS: Record<ApprovalStatus, readonly ApprovalStatus[]> = {
  pending: ['approved', 'rejected', 'expired', 'cancelled'],
  approved: [],
  rejected: [],
  expired: [],
  cancelled: [],
};

/** Only an approved request is executed; it is tried until it is done or refused for good. */
export const EXECUTION_TRANSITIONS: Record<ExecutionStatus, readonly ExecutionStatus[]> = {
  none: ['pending'],
  pending: ['done', 'failed'],
  done: [],
  failed: [],
};

/** Whether an approval may go from one status to the other. */
export function mayBecome(from: ApprovalStatus, to: ApprovalStatus): boolean {
  return APPROVAL_TRANSITIONS[from].includes(to);
}

/** Whether anybody has still to decide. */
export function isOpen(status: ApprovalStatus): boolean {
  return APPROVAL_TRANSITIONS[status].length > 0;
}

/** Whether an execution in this state may come to that end. */
export function mayEnd(from: ExecutionStatus, to: ExecutionStatus): boolean {
  return EXECUTION_TRANSITIONS[from].includes(to);
}

/** What is kept of how carrying out a decision ended; null where the decision leaves nothing to be executed. */
export function executedAs<O extends { status: 'done' | 'failed' }>(decision: ApprovalStatus, outcome: O): O | null {
  return mayEnd(executionAfter(decision), outcome.status) ? outcome : null;
}

/** What becomes of the execution once the approval is decided so. */
export function executionAfter(decision: ApprovalStatus): ExecutionStatus {
  return decision === 'approved' ? 'pending' : 'none';
}
