/** The board's approvals, and what the treasury and membership have done with their decisions. */
import type { Decision, ExecutionOutcome, SubjectType } from '../../../lib/contracts/approvals.ts';
import { sqlList } from '../../../lib/saga/states.ts';
import {
  PENDING,
  type ApprovalStatus,
  type ExecutionStatus,
} from '../../../services/governance/approvals/approval.table.ts';
import { OWNER_OF, type Owner } from '../../../services/governance/executions/execution.rules.ts';
import type { ExecutionStep } from '../../../services/governance/executions/execution.table.ts';
import { CASH_DEPOSIT_STATES, type CashDepositState } from '../../../services/treasury/cash/cash-deposit.table.ts';
import { CORRECTION_STATES, type CorrectionState } from '../../../services/treasury/corrections/correction.table.ts';
import {
  DISTRIBUTION_STATES,
  type DistributionState,
} from '../../../services/treasury/distributions/distribution.table.ts';
import { pairs } from '../pairs.ts';

export interface ListedApproval {
  id: string;
  association_id: string;
  subject_type: SubjectType;
  subject_id: string;
  status: ApprovalStatus;
  execution_status: ExecutionStatus;
  execution_error: string | null;
  /** Null for a pending approval, and for one that is not executed. */
  step: ExecutionStep | null;
}

const subjectsOf = (owner: Owner): SubjectType[] =>
  (Object.keys(OWNER_OF) as SubjectType[]).filter((type) => OWNER_OF[type] === owner);

/** @param more columns */
export const approvalsOf = (what: string, types: readonly SubjectType[], more = ''): { name: string; text: string } => {
  return {
    name: `verify.approvals_for_${what}`,
    text: `
      SELECT a.id, a.association_id, a.subject_type, a.subject_id, a.status, a.execution_status, a.execution_error,
        e.status AS step${more}
      FROM approvals a LEFT JOIN executions e ON e.id = a.id
      WHERE a.id > $1 AND a.subject_type IN (${sqlList(types)}) ORDER BY a.id LIMIT $2`,
  };
};

/** Whether the owner of the subject has been notified of the decision. Until then, it may or may not have executed it. */
export const isNotified = ({ step }: ListedApproval): boolean => step === 'notified';

/** Names an approval in a difference. */
export function approvalText({ id, subject_type, subject_id, association_id, status }: ListedApproval): string {
  return `approval ${id} of ${subject_type} ${subject_id} of association ${association_id} is ${status}`;
}

interface BoardRequest {
  /** The id of the approval. */
  id: string;
  subject_type: 'cash_deposit' | 'distribution' | 'correction';
  subject_id: string;
  status: CashDepositState | DistributionState | CorrectionState;
  decision: Decision | null;
}

const requests = (condition: string): string => `
  SELECT approval_id AS id, 'cash_deposit' AS subject_type, id AS subject_id, status, decision
  FROM cash_deposits WHERE approval_id ${condition}
  UNION ALL
  SELECT approval_id, 'distribution', id, status, decision FROM distributions WHERE approval_id ${condition}
  UNION ALL
  SELECT approval_id, 'correction', id, status, decision FROM corrections WHERE approval_id ${condition}`;

/** What the treasury may show of a request; `null` if it has ended before its approval was open. */
function shownAs({ subject_type, status }: BoardRequest): string | null {
  if (status === 'refused' || status === 'withdrawing') return null;
  if (subject_type === 'cash_deposit') return CASH_DEPOSIT_STATES[status as CashDepositState].shown;
  const shown =
    subject_type === 'distribution'
      ? DISTRIBUTION_STATES[status as DistributionState].shown
      : CORRECTION_STATES[status as CorrectionState].shown;
  return shown ?? 'pending_approval';
}

const DONE = ['confirmed', 'paid', 'reversed', 'done'];

export const approvalsCheck = pairs<ListedApproval, BoardRequest>({
  name: 'approvals',
  compares: 'each approval of money with its cash deposit, distribution or correction',
  from: { service: 'governance', sql: approvalsOf('treasury', subjectsOf('treasury')) },
  to: { service: 'treasury', sql: { name: 'verify.requests', text: requests('= ANY($1::uuid[])') } },
  differs(approval, find) {
    const request = find();
    if (request === undefined) return `${approvalText(approval)}, but the treasury has no such request`;
    const shown = shownAs(request);
    if (shown === null) return null;
    const isPending = PENDING.includes(approval.status);
    if (!isPending && !isNotified(approval)) return null;
    const isDone = approval.execution_status === 'done';
    const agrees = isPending ? shown === 'pending_approval' : isDone ? DONE.includes(shown) : isEnded(shown);
    if (agrees) return null;
    return `${approvalText(approval)} with execution ${approval.execution_status}, but it is ${request.status} in the treasury`;
  },
});

/** Whether the request has ended without an effect. */
function isEnded(shown: string): boolean {
  return shown !== 'pending_approval' && !DONE.includes(shown);
}

export interface StoredApproval {
  id: string;
  status: ApprovalStatus;
}

export const APPROVALS_BY_ID = {
  name: 'verify.approvals_by_id',
  text: 'SELECT id, status FROM approvals WHERE id = ANY($1::uuid[])',
};

/** States in which a request has, or had, an open approval. */
const OPENED = sqlList(
  [
    ...new Set([
      ...Object.entries(CASH_DEPOSIT_STATES).flatMap(([state, { undecided }]) => (undecided ? [] : [state])),
      ...Object.entries(CORRECTION_STATES).flatMap(([state, { undecided }]) => (undecided ? [] : [state])),
      ...Object.entries(DISTRIBUTION_STATES).flatMap(([state, { undecided }]) => (undecided ? [] : [state])),
    ]),
  ].filter((state) => state !== 'refused'),
);

export const requestsCheck = pairs<BoardRequest, StoredApproval>({
  name: 'requests',
  compares: 'each cash deposit, distribution and correction with its approval',
  from: {
    service: 'treasury',
    sql: `SELECT * FROM (${requests('> $1')}) AS all_requests WHERE status IN (${OPENED}) ORDER BY id LIMIT $2`,
  },
  to: { service: 'governance', sql: APPROVALS_BY_ID },
  differs({ id, subject_type, subject_id, status, decision }, find) {
    const what = `${subject_type} ${subject_id} is ${status}`;
    const approval = find();
    if (approval === undefined) return `${what}, but governance has no approval ${id}`;
    if (decision === null || approval.status === decision) return null;
    return `${what} after the decision ${decision}, but its approval ${id} is ${approval.status}`;
  },
});

interface Executed {
  id: string;
  status: ExecutionOutcome['status'];
  error: string | null;
}

export const executionsCheck = pairs<ListedApproval, Executed>({
  name: 'executions',
  compares: 'each executed proposal with what membership has executed',
  from: { service: 'governance', sql: approvalsOf('membership', subjectsOf('membership')) },
  to: {
    service: 'membership',
    sql: {
      name: 'verify.executed',
      text: 'SELECT approval_id AS id, status, error FROM executed_approvals WHERE approval_id = ANY($1::uuid[])',
    },
  },
  differs(approval, find) {
    const executed = find();
    const { execution_status } = approval;
    // Of a proposal that was not approved nothing is executed. One that membership could not accept leaves no outcome.
    if (!isNotified(approval) || execution_status === 'none') return null;
    if (executed === undefined && execution_status === 'failed') return null;
    if (executed?.status === execution_status) return null;
    const found = executed === undefined ? 'has not executed it' : `has it as ${executed.status}`;
    return `${approvalText(approval)} with execution ${execution_status}, but membership ${found}`;
  },
});

export const proposalsCheck = pairs<Executed, StoredApproval>({
  name: 'proposals',
  compares: 'what membership has executed with its approval',
  from: {
    service: 'membership',
    sql: {
      name: 'verify.all_executed',
      text: `SELECT approval_id AS id, status, error FROM executed_approvals
             WHERE approval_id > $1 ORDER BY approval_id LIMIT $2`,
    },
  },
  to: { service: 'governance', sql: APPROVALS_BY_ID },
  differs({ id, status }, find) {
    const approval = find();
    if (approval === undefined)
      return `membership has executed approval ${id} (${status}), but governance does not have it`;
    if (!PENDING.includes(approval.status)) return null;
    return `membership has executed approval ${id} (${status}), but it is ${approval.status} in governance`;
  },
});
