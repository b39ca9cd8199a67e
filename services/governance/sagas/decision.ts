import type { EntityManager } from 'typeorm';
import type { Decision, ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import type { GovernanceDeps } from '../deps.ts';
import { judge } from '../domain/judgement.ts';
import { OWNER_OF } from '../domain/ownership.ts';
import { executedAs, mayBecome } from '../domain/states.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { storeDecision, storeOutcome, votesOf } from '../persistence/approvals.ts';

/** What an event about an approval tells of it. */
export function factOf(approval: ApprovalRow): {
  approval_id: string;
  subject_type: ApprovalRow['subject_type'];
  subject_id: string;
} {
  return { approval_id: approval.id, subject_type: approval.subject_type, subject_id: approval.subject_id };
}

/** What came of a decision that asks nobody to do anything. */
const DONE: ExecutionOutcome = { status: 'done', error: null };

/**
 * Ends a pending approval, with its event, in the caller's transaction. Where nobody has to carry it out, it is done with
 * that.
 * @param now when it was judged, under the approval's lock: what is decided in time says so
 * @param cancelled_by the operation that cancels it, if it is cancelled
 * @returns whether it was pending
 */
export async function decide(
  { foundation }: GovernanceDeps,
  manager: EntityManager,
  approval: ApprovalRow,
  decision: Decision,
  now: Date,
  cancelled_by: string | null = null,
): Promise<boolean> {
  if (!mayBecome(approval.status, decision)) return false;
  if (!(await storeDecision(manager, approval.id, decision, now, cancelled_by))) return false;
  if (OWNER_OF[approval.subject_type] === null) {
    await storeOutcome(manager, approval.id, executedAs(decision, DONE), now);
  }
  await foundation.outbox.append(manager, decisionEvent(approval, decision));
  return true;
}

/**
 * Judges a locked pending approval by the votes there are and the present board, and ends it if they decide it.
 * @param board ids of the active members with a board role
 * @returns whether it was decided
 */
export async function decideByVotes(
  deps: GovernanceDeps,
  manager: EntityManager,
  approval: ApprovalRow,
  board: readonly string[],
  now: Date,
): Promise<boolean> {
  const verdict = judge(approval, await votesOf(manager, [approval.id]), board);
  return verdict === 'pending' ? false : decide(deps, manager, approval, verdict, now);
}

function decisionEvent(approval: ApprovalRow, decision: Decision): Fact {
  return { type: `approval.${decision}`, association_id: approval.association_id, data: factOf(approval) };
}
