import { approve, reject, type Approval } from '../../../lib/contracts/governance.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import { BOARD } from '../../../lib/contracts/permissions.ts';
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
import { approvals, votes, type ApprovalRow, type VoteDecision, type VoteRow } from './approval.table.ts';
import { loadApproval, readApproval } from './approval.view.ts';
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

/** A vote that may be cast, with the current board. */
interface AdmittedVote extends VoteRequest {
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
    : await storeVote(deps, await admitVote(deps, ctx, caller, request, operation), operation);
  return executeDecision(deps, ctx, voted);
}

/**
 * Checks that the caller may cast this vote.
 * @throws the first refusal that applies, in the order of docs/architecture.md. The body names the approval, so it is
 * looked up after the role and the PIN.
 */
async function admitVote(
  { db, runtime }: GovernanceDeps,
  ctx: CallContext,
  caller: Caller,
  request: VoteRequest,
  operation: Operation,
): Promise<AdmittedVote> {
  const { association_id, approval_id, pin } = request;
  const { member } = await authorizeCaller(ctx, caller, association_id, 'decide', { pin });
  const { member_id: voter_id } = member;
  // Before the approval: a vote that decides it meanwhile must not appear as one on a pending approval.
  const cast = await listVotes(db, approval_id);
  const approval = await loadApproval(db, association_id, approval_id);
  // Another attempt of this operation may have voted in the meantime; its vote is not a second one.
  if (!isAmong(cast, operation)) checkVote(approval, { ...request, voter_id }, cast, runtime.clock());

  const { board } = await call(ctx, membership.board, { association_id });
  const ids = board.map((each) => each.member_id);
  // The board may have changed since the role was checked.
  if (!ids.includes(voter_id)) throw problem('role_not_allowed', { required_roles: BOARD });
  return { ...request, voter_id, board: ids };
}

/** Stores the vote under the approval's lock, once for each operation, and decides the approval if the votes suffice. */
function storeVote(deps: GovernanceDeps, vote: AdmittedVote, operation: Operation): Promise<Approval> {
  const { db, runtime, outbox } = deps;
  return db.transaction(async (tx) => {
    const approval = await lockApproval(tx, vote.approval_id);
    if (approval === undefined) throw problem('not_found');
    const { id: approval_id, association_id } = approval;
    const cast = await listVotes(tx, approval_id);
    // Another attempt of the same operation may have voted.
    if (isAmong(cast, operation)) return readApproval(tx, approval_id);
    const now = runtime.clock();
    checkVote(approval, vote, cast, now);
    const { voter_id: member_id, decision, reason } = vote;
    await tx.orm.insert(votes, { approval_id, member_id, decision, reason, voted_at: now, operation_id: operation.id });
    const data = { ...eventDataOf(approval), member_id, decision };
    outbox.append(tx, { type: 'approval.voted', association_id, data });
    const isDecided = await decideByVotes(deps, tx, approval, vote.board, now);
    if (!isDecided) {
      // The board may have changed since it was read, so the votes are evaluated once more.
      await tx.orm.update(approvals, { id: approval_id, status: 'pending' }, { rejudge_mark: runtime.newId() });
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

/**
 * Checks that the approval accepts the vote.
 * @throws the first refusal that applies
 */
function checkVote(
  approval: ApprovalRow,
  { voter_id, seen_payload_hash }: Pick<AdmittedVote, 'voter_id' | 'seen_payload_hash'>,
  cast: readonly VoteRow[],
  now: Date,
): void {
  const code = voteRefusal({ approval, votes: cast, voter_id, seen_payload_hash, now });
  if (code !== undefined) throw problem(code);
}
