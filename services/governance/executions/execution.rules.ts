/** Determines which service executes a decision, and in which steps. */
import type { Decision, SubjectType } from '../../../lib/contracts/approvals.ts';
import type { ExecutionStatus } from '../approvals/approval.table.ts';
import type { ExecutionStep } from './execution.table.ts';

/** The services that own subjects, and execute the decisions about them. */
export type Owner = 'membership' | 'contribution' | 'treasury';

/** Which service executes the decision about a subject; null for a motion, which is not executed. */
export const OWNER_OF: Record<SubjectType, Owner | null> = {
  cash_deposit: 'treasury',
  distribution: 'treasury',
  correction: 'treasury',
  meeting_sheet: 'contribution',
  fine_waiver: 'contribution',
  role_change: 'membership',
  rules_change: 'membership',
  expulsion: 'membership',
  closure: 'membership',
  motion: null,
};

/** Returns the first step after a decision; null if no service has to be notified. */
export function firstStep(subject_type: SubjectType, decision: Decision): ExecutionStep | null {
  if (OWNER_OF[subject_type] === null) return null;
  return subject_type === 'closure' && decision === 'approved' ? 'locking' : 'notifying';
}

/** Returns the execution's status right after a decision. Only approved subjects are executed. */
export function executionAfter(subject_type: SubjectType, decision: Decision): ExecutionStatus {
  if (decision !== 'approved') return 'none';
  return OWNER_OF[subject_type] === null ? 'done' : 'pending';
}
