import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import type { Approval } from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import { BOARD } from '../../../lib/contracts/permissions.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import type { VoteDecision } from '../domain/judgement.ts';
import { refusalOf } from '../domain/voting.ts';
import type { GovernanceDeps } from '../deps.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { insertVote, lockApproval, votesOf } from '../persistence/approvals.ts';
import { markOneForRejudging } from '../persistence/sweeps.ts';
import type { VoteRow } from '../persistence/vote.entity.ts';
import { decideByVotes, factOf } from '../sagas/decision.ts';
import { carryOut } from './carry-out.ts';
import { currentApproval, loadApproval } from './show.ts';

export interface VoteInput {
  association_id: string;
  approval_id: string;
  pin: string;
  decision: VoteDecision;
  reason: string | null;
  seen_payload_hash: string | undefined;
}

interface Ballot extends VoteInput {
  voter_id: string;
  /** Ids of the active members with a board role. */
  board: string[];
}

/**
 * Takes a board executive's vote, and, if it decides, has the decision carried out (contract, "Governance").
 * @returns the approval as it is after a moment's wait for the execution
 */
export async function castVote(
  deps: GovernanceDeps,
  ctx: CallContext,
  caller: Caller,
  input: VoteInput,
  operation: Operation,
): Promise<Approval> {
  const { manager } = deps.foundation.db;
  const { approval_id } = input;
  const hasVoted = operation.resumed && isAmong(await votesOf(manager, [approval_id]), operation);
  const voted = hasVoted
    ? await currentApproval(manager, approval_id)
    : await storeVote(deps, await judged(deps, ctx, caller, input, operation), operation);
  return carryOut(deps, ctx, voted, deps.timings.execution_wait_ms);
}

/** Whether the caller may cast this vote, with the board of now; throws the first refusal in the contract's order. */
async function judged(
  deps: GovernanceDeps,
  ctx: CallContext,
  caller: Caller,
  input: VoteInput,
  operation: Operation,
): Promise<Ballot> {
  const { runtime, db } = deps.foundation;
  const { manager } = db;
  const { association_id, approval_id, pin } = input;
  const { member } = await authorizeCaller(ctx, caller, association_id, 'decide', { pin });
  const approval = await loadApproval(manager, association_id, approval_id);
  const { member_id: voter_id } = member;
  const votes = await votesOf(manager, [approval_id]);
  if (!isAmong(votes, operation)) refuse(approval, { ...input, voter_id, votes, now: runtime.clock() });

  const { board } = await call(ctx, membership.board, { association_id });
  const ids = board.map((each) => each.member_id);
  // The board may have changed since the role was checked.
  if (!ids.includes(voter_id)) throw problem('role_not_allowed', { required_roles: BOARD });
  return { ...input, voter_id, board: ids };
}

/** Writes the vote under the approval's lock, once for each operation, and judges the approval by it. */
async function storeVote(deps: GovernanceDeps, ballot: Ballot, operation: Operation): Promise<Approval> {
  const { foundation } = deps;
  const { runtime, outbox } = foundation;
  return foundation.transaction(async (manager) => {
    const approval = await lockApproval(manager, ballot.approval_id);
    if (approval === null) throw problem('not_found');
    const { id: approval_id, association_id } = approval;
    const votes = await votesOf(manager, [approval_id]);
    // Another try of the same operation was slower than thought, and has voted meanwhile.
    if (isAmong(votes, operation)) return currentApproval(manager, approval_id);
    const now = runtime.clock();
    refuse(approval, { ...ballot, votes, now });
    const { voter_id: member_id, decision, reason } = ballot;
    const vote = { approval_id, member_id, decision, reason, voted_at: now, operation_id: operation.id };
    await insertVote(manager, vote);
    const data = { ...factOf(approval), member_id, decision };
    await outbox.append(manager, { type: 'approval.voted', association_id, data });
    const decided = await decideByVotes(deps, manager, approval, ballot.board, now);
    // The board that was asked may have changed meanwhile; the sweeper looks once more.
    if (!decided) await markOneForRejudging(manager, approval_id, runtime.newId());
    const voted = await currentApproval(manager, approval_id);
    // What has still to be carried out is answered once it has been.
    if (voted.execution.status !== 'pending') await operation.answered(manager, voted);
    return voted;
  });
}

/** Whether the operation has voted before. */
function isAmong(votes: readonly VoteRow[], operation: Operation): boolean {
  return votes.some((vote) => vote.operation_id === operation.id);
}

function refuse(approval: ApprovalRow, ballot: VoteInput & { voter_id: string; votes: VoteRow[]; now: Date }): void {
  const { voter_id, votes, seen_payload_hash, now } = ballot;
  const code = refusalOf({ approval, votes, voter_id, seen_payload_hash, now });
  if (code !== undefined) throw problem(code);
}
