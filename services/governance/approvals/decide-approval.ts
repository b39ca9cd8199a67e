import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { insertStatement, updateRow } from '../../../lib/db/table.ts';
import type { Outbox } from '../../../lib/events/outbox.ts';
import { executionAfter, firstStep } from '../executions/execution.rules.ts';
import { executions } from '../executions/execution.table.ts';
import { evaluateVotes, type Vote } from './approval.rules.ts';
import { approvals, type ApprovalRow } from './approval.table.ts';

/** Returns the fields that all events of an approval have. */
export function eventDataOf({ id: approval_id, subject_type, subject_id }: ApprovalRow) {
  return { approval_id, subject_type, subject_id };
}

/**
 * Ends a pending approval, with its event and the first step of its execution, in the caller's transaction.
 * @param now read after the approval was locked; becomes `decided_at`
 * @param cancelled_by_operation_id the operation that cancels the approval, if it is cancelled
 * @returns whether the approval was pending
 */
export async function decide(
  { outbox }: { outbox: Outbox },
  tx: Transaction,
  approval: ApprovalRow,
  decision: Decision,
  now: Date,
  cancelled_by_operation_id: string | null = null,
): Promise<boolean> {
  const { id, subject_type, association_id } = approval;
  const decided = await updateRow(
    tx,
    approvals,
    { id, status: 'pending' },
    {
      status: decision,
      decided_at: now,
      execution_status: executionAfter(subject_type, decision),
      rejudge_mark: null,
      cancelled_by_operation_id,
    },
  );
  if (decided === undefined) return false;
  const status = firstStep(subject_type, decision);
  if (status !== null) tx.send(...insertStatement(executions, [{ id, status, last_attempt_at: now }]));
  outbox.append(tx, { type: `approval.${decision}`, association_id, data: eventDataOf(approval) });
  return true;
}

/**
 * Evaluates the votes on a locked pending approval with the current board, and ends the approval if they decide it.
 * @param cast the votes, in any order
 * @param board ids of the active members with a board role
 * @returns whether the approval was decided
 */
export async function decideByVotes(
  context: { outbox: Outbox },
  tx: Transaction,
  approval: ApprovalRow,
  cast: readonly Vote[],
  board: readonly string[],
  now: Date,
): Promise<boolean> {
  const verdict = evaluateVotes(approval, cast, board);
  return verdict === 'pending' ? false : decide(context, tx, approval, verdict, now);
}
