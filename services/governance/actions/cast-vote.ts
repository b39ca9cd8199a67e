import { authorized } from '../../../lib/actions/authorized.ts';
import { call } from '../../../lib/actions/call.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import type { Approval } from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import { BOARD } from '../../../lib/contracts/permissions.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { VoteDecision } from '../domain/judgement.ts';
import { refusalOf } from '../domain/voting.ts';
import type { GovernanceDeps } from '../deps.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { insertVote, lockApproval, votesOf } from '../persistence/approvals.ts';
import { markOneForRejudging } from '../persistence/sweeps.ts';
import { decideByVotes, factOf } from '../sagas/decision.ts';
import { tellOwner } from '../sagas/tell-owner.ts';
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
): Promise<Approval> {
  const { foundation, timings } = deps;
  const { manager } = foundation.db;
  const { association_id, approval_id, pin } = input;
  const { member } = await authorized(ctx, caller, association_id, 'decide', { pin });
  const approval = await loadApproval(manager, association_id, approval_id);
  const ballot = { ...input, voter_id: member.member_id };
  refuse(deps, approval, { ...ballot, votes: await votesOf(manager, [approval_id]) });

  const { board } = await call(ctx, membership.board, { association_id });
  const ids = board.map((each) => each.member_id);
  // The board may have changed since the role was checked.
  if (!ids.includes(ballot.voter_id)) throw problem('role_not_allowed', { required_roles: BOARD });
  const decided = await storeVote(deps, { ...ballot, board: ids });
  const voted = await loadApproval(manager, association_id, approval_id);
  if (decided && voted.status !== 'pending') {
    const failure = await tellOwner(deps, ctx, voted, voted.status, timings.execution_wait_ms);
    if (failure !== undefined) logUntold(ctx, approval_id, failure as Error);
  }
  return currentApproval(manager, approval_id);
}

/** Writes the vote under the approval's lock and judges it. @returns whether it decided */
async function storeVote(deps: GovernanceDeps, ballot: Ballot): Promise<boolean> {
  const { foundation } = deps;
  const { runtime, outbox } = foundation;
  return foundation.transaction(async (manager) => {
    const approval = await lockApproval(manager, ballot.approval_id);
    if (approval === null) throw problem('not_found');
    refuse(deps, approval, { ...ballot, votes: await votesOf(manager, [approval.id]) });
    const { voter_id: member_id, decision, reason } = ballot;
    await insertVote(manager, { approval_id: approval.id, member_id, decision, reason, voted_at: runtime.clock() });
    await outbox.append(manager, {
      type: 'approval.voted',
      association_id: approval.association_id,
      data: { ...factOf(approval), member_id, decision },
    });
    if (await decideByVotes(deps, manager, approval, ballot.board)) return true;
    // The board that was asked may have changed meanwhile; the sweeper looks once more.
    await markOneForRejudging(manager, approval.id, runtime.newId());
    return false;
  });
}

function refuse(
  { foundation }: GovernanceDeps,
  approval: ApprovalRow,
  ballot: VoteInput & { voter_id: string; votes: Awaited<ReturnType<typeof votesOf>> },
): void {
  const { voter_id, votes, seen_payload_hash } = ballot;
  const code = refusalOf({ approval, votes, voter_id, seen_payload_hash, now: foundation.runtime.clock() });
  if (code !== undefined) throw problem(code);
}

function logUntold(ctx: CallContext, approval_id: string, failure: Error): void {
  ctx.service?.logger.warn('the owner of an approval could not be told yet', { approval_id, message: failure.message });
}
