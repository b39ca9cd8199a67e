import { approve, reject, type Approval } from '../../../lib/contracts/governance.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import { BOARD } from '../../../lib/contracts/permissions.ts';
import { insertStatement, updateStatement } from '../../../lib/db/table.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import type { GovernanceDeps } from '../deps.ts';
import { executeDecision } from '../executions/execute-decision.ts';
import { voteRefusal } from './approval.rules.ts';
import { lockApproval, listVotes } from './approval.store.ts';
import { approvals, votes, type VoteDecision, type VoteRow } from './approval.table.ts';
import { readApproval } from './approval.view.ts';
import { decideByVotes, eventDataOf } from './decide-approval.ts';

/** The content of a request to vote. */
interface VoteRequest {
  association_id: string;
  approval_id: string;
  pin: string;
  decision: VoteDecision;
  reason: string | null;
  seen_payload_hash: string | undefined;
}

/** Casts a vote to approve a request. */
export const approveAction = (deps: GovernanceDeps) =>
  implementWrite(deps, approve, ({ path, body }, caller, ctx, operation) => {
    const { payload_hash: seen_payload_hash, ...rest } = body;
    const vote: VoteRequest = { ...path, ...rest, decision: 'approve', reason: null, seen_payload_hash };
    return castVote(deps, ctx, caller, vote, operation);
  });

/** Casts a vote to reject a request. */
export const rejectAction = (deps: GovernanceDeps) =>
  implementWrite(deps, reject, ({ path, body }, caller, ctx, operation) => {
    const { reason = null, ...rest } = body;
    const vote: VoteRequest = { ...path, ...rest, decision: 'reject', reason, seen_payload_hash: undefined };
    return castVote(deps, ctx, caller, vote, operation);
  });

/** A vote of a board member, with the current board. */
interface BoardVote extends VoteRequest {
  voter_id: string;
  /** Ids of the active members with a board role. */
  board: string[];
}

/** Stores the vote and, if it decides the approval, executes the decision. */
async function castVote(
  deps: GovernanceDeps,
  ctx: CallContext,
  caller: Caller,
  request: VoteRequest,
  operation: Operation,
): Promise<Approval> {
  const { approval_id } = request;
  const isCast = operation.resumed && isAmong(await listVotes(deps.db, approval_id), operation);
  const voted = isCast
    ? await readApproval(deps.db, approval_id)
    : await storeVote(deps, await authorizeVote(ctx, caller, request), operation);
  return executeDecision(deps, ctx, voted);
}

/**
 * Checks that the caller may vote, and reads the board.
 * @throws the refusals of membership; role_not_allowed
 */
async function authorizeVote(ctx: CallContext, caller: Caller, request: VoteRequest): Promise<BoardVote> {
  const { association_id, pin } = request;
  const { member } = await authorizeCaller(ctx, caller, association_id, 'decide', { pin });
  const { member_id: voter_id } = member;
  const { board } = await call(ctx, membership.board, { association_id });
  const ids = board.map((each) => each.member_id);
  // The board may have changed since the role was checked.
  if (!ids.includes(voter_id)) throw problem('role_not_allowed', { required_roles: BOARD });
  return { ...request, voter_id, board: ids };
}

/**
 * Stores the vote under the approval's lock, once for each operation, and decides the approval if the votes suffice.
 * @throws the first refusal that applies, in the order of docs/architecture.md: the body names the approval, so it is looked up
 *   after the role and the PIN
 */
function storeVote(deps: GovernanceDeps, vote: BoardVote, operation: Operation): Promise<Approval> {
  const { db, runtime, outbox } = deps;
  return db.transaction(async (tx) => {
    const { approval_id, association_id } = vote;
    // Sent together. The second statement sees the votes that were cast while the first one waited.
    const [approval, cast] = await Promise.all([lockApproval(tx, approval_id), listVotes(tx, approval_id)]);
    if (approval?.association_id !== association_id) throw problem('not_found');
    // Another attempt of the same operation may have voted.
    if (isAmong(cast, operation)) return readApproval(tx, approval_id);
    const now = runtime.clock();
    const { voter_id: member_id, decision, reason, seen_payload_hash } = vote;
    const refusal = voteRefusal({ approval, votes: cast, voter_id: member_id, seen_payload_hash, now });
    if (refusal !== undefined) throw problem(refusal);
    const row: VoteRow = { approval_id, member_id, decision, reason, voted_at: now, operation_id: operation.id };
    tx.send(...insertStatement(votes, [row]));
    outbox.append(tx, {
      type: 'approval.voted',
      association_id,
      data: { ...eventDataOf(approval), member_id, decision },
    });
    const isDecided = await decideByVotes(deps, tx, approval, [...cast, row], vote.board, now);
    if (!isDecided) {
      // The board may have changed since it was read, so the votes are evaluated once more.
      tx.send(...updateStatement(approvals, { id: approval_id, status: 'pending' }, { rejudge_mark: runtime.newId() }));
    }
    const voted = await readApproval(tx, approval_id);
    // A decision that must be executed first is answered afterwards.
    await (voted.execution.status === 'pending' ? operation.hold(tx) : operation.keep(tx, voted));
    return voted;
  });
}

/** Whether one of the votes was cast by the operation. */
function isAmong(cast: readonly VoteRow[], operation: Operation): boolean {
  return cast.some((vote) => vote.operation_id === operation.id);
}
