import type { EntityManager } from 'typeorm';
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import type { GovernanceDeps } from '../deps.ts';
import { judge } from '../domain/judgement.ts';
import { mayBecome } from '../domain/states.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { storeDecision, votesOf } from '../persistence/approvals.ts';

/** What an event about an approval tells of it. */
export function factOf(approval: ApprovalRow): {
  approval_id: string;
  subject_type: ApprovalRow['subject_type'];
  subject_id: string;
} {
  return { approval_id: approval.id, subject_type: approval.subject_type, subject_id: approval.subject_id };
}

/**
 * Ends a pending approval, with its event, in the caller's transaction.
 * @returns whether it was pending
 */
export async function decide(
  { foundation }: GovernanceDeps,
  manager: EntityManager,
  approval: ApprovalRow,
  decision: Decision,
): Promise<boolean> {
  if (!mayBecome(approval.status, decision)) return false;
  const decided = await storeDecision(manager, approval.id, decision, foundation.runtime.clock());
  if (decided) await foundation.outbox.append(manager, decisionEvent(approval, decision));
  return decided;
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
): Promise<boolean> {
  const verdict = judge(approval, await votesOf(manager, [approval.id]), board);
  return verdict === 'pending' ? false : decide(deps, manager, approval, verdict);
}

function decisionEvent(approval: ApprovalRow, decision: Decision): Fact {
  return { type: `approval.${decision}`, association_id: approval.association_id, data: factOf(approval) };
}
