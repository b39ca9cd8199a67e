/** What follows from a decision (contract, "Governance"). */
import type { Decision, SubjectType } from '../../../lib/contracts/approvals.ts';
import type { ExecutionStatus } from '../approvals/approval.table.ts';
import type { ExecutionStep } from './execution.table.ts';

/** The services that execute what was decided. */
export type Owner = 'membership' | 'treasury';

/** Which service executes what was decided about a subject. Null: a motion is only decided. */
export const OWNER_OF: Record<SubjectType, Owner | null> = {
  cash_deposit: 'treasury',
  distribution: 'treasury',
  role_change: 'membership',
  rules_change: 'membership',
  expulsion: 'membership',
  closure: 'membership',
  motion: null,
};

/** The first step after a decision; null where no service has to be notified. */
export function firstStep(subject_type: SubjectType, decision: Decision): ExecutionStep | null {
  if (OWNER_OF[subject_type] === null) return null;
  return subject_type === 'closure' && decision === 'approved' ? 'locking' : 'notifying';
}

/** The execution's status right after a decision: only what is approved is executed. */
export function executionAfter(subject_type: SubjectType, decision: Decision): ExecutionStatus {
  if (decision !== 'approved') return 'none';
  return OWNER_OF[subject_type] === null ? 'done' : 'pending';
}
