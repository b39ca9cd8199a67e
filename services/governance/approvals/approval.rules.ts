/** Decides who may vote on a request, and what the votes decide. docs/governance.md describes the rules. */
import { PROPOSAL_TYPES, type SubjectType } from '../../../lib/contracts/approvals.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { PENDING, type ApprovalStatus, type VoteDecision } from './approval.table.ts';

/** The fields of a request that determine who may vote on it. */
export interface ApprovalRequest {
  subject_type: SubjectType;
  requested_by_member_id: string;
  /** The member who benefits or is concerned: a depositor, a beneficiary, the member whose role changes or who is fined. */
  concerned_member_id: string | null;
}

/**
 * Returns who may vote: active board members other than the requester and the member concerned. A president who is to be
 * replaced is not the member concerned.
 * @param board ids of the active members with a board role
 */
export function eligibleApprovers(board: readonly string[], request: ApprovalRequest): string[] {
  return board.filter((member) => member !== request.requested_by_member_id && member !== request.concerned_member_id);
}

/**
 * Returns how many approvals a request needs, which is fixed when it is made.
 * @param rule how many approvals the association's rules require for this type of subject
 * @returns 0 if the board is one person and they make a proposal that does not concern money, which is then approved without
 *   a vote; null if the request has no eligible approver
 */
export function requiredApprovals(board: readonly string[], request: ApprovalRequest, rule: number): number | null {
  const eligible = eligibleApprovers(board, request).length;
  if (eligible > 0) return Math.min(rule, eligible);
  const isAlone = board.length === 1 && board[0] === request.requested_by_member_id;
  return isAlone && !concernsMoney(request.subject_type) ? 0 : null;
}

/** Whether the decision moves money, or cancels a claim of the association. */
function concernsMoney(type: SubjectType): boolean {
  return type === 'fine_waiver' || !(PROPOSAL_TYPES as readonly string[]).includes(type);
}

export interface Vote {
  member_id: string;
  decision: VoteDecision;
}

/**
 * Returns what the votes decide with the current board. A vote counts only while its voter holds a board role, and a
 * request is rejected as soon as the required number of approvals can no longer be reached.
 * @param board ids of the members who are active and hold a board role now
 */
export function evaluateVotes(
  request: ApprovalRequest & { required_approvals: number },
  votes: readonly Vote[],
  board: readonly string[],
): 'approved' | 'rejected' | 'pending' {
  const eligible = new Set(eligibleApprovers(board, request));
  const counting = votes.filter((vote) => eligible.has(vote.member_id));
  const approvals = counting.filter((vote) => vote.decision === 'approve').length;
  if (approvals >= request.required_approvals) return 'approved';
  const still_to_vote = eligible.size - counting.length;
  return approvals + still_to_vote < request.required_approvals ? 'rejected' : 'pending';
}

/** A vote to be cast, with the data that decide whether it is refused. */
export interface Ballot {
  approval: ApprovalRequest & { status: ApprovalStatus; expires_at: Date; payload_hash: string };
  votes: readonly Vote[];
  voter_id: string;
  /** The hash of the payload that the voter has seen; undefined if the client did not send it. */
  seen_payload_hash: string | undefined;
  now: Date;
}

/** The refusals of a vote in the order in which they are checked: first who may never vote, then the current state. */
const REFUSALS: readonly { code: ErrorCode; applies: (ballot: Ballot) => boolean }[] = [
  { code: 'own_request', applies: ({ approval, voter_id }) => approval.requested_by_member_id === voter_id },
  {
    code: 'beneficiary_cannot_approve',
    applies: ({ approval, voter_id }) => approval.concerned_member_id === voter_id,
  },
  { code: 'approval_not_pending', applies: ({ approval, now }) => !isUndecided(approval, now) },
  { code: 'approval_changed', applies: hasChanged },
  { code: 'already_voted', applies: ({ votes, voter_id }) => votes.some((vote) => vote.member_id === voter_id) },
];

/** Returns the code of the first refusal that applies; undefined if the vote may be cast. */
export function voteRefusal(ballot: Ballot): ErrorCode | undefined {
  return REFUSALS.find((refusal) => refusal.applies(ballot))?.code;
}

/**
 * Returns for whose votes the approval waits: those who may vote and have not; none once it cannot be decided.
 * @param board ids of the active members with a board role
 */
export function waitingVoters(
  approval: ApprovalRequest & { status: ApprovalStatus; expires_at: Date },
  votes: readonly Pick<Vote, 'member_id'>[],
  board: readonly string[],
  now: Date,
): string[] {
  if (!isUndecided(approval, now)) return [];
  const voters = new Set(votes.map(({ member_id }) => member_id));
  return eligibleApprovers(board, approval).filter((member_id) => !voters.has(member_id));
}

/** Whether the approval can still be decided: it is pending and has not expired. */
export function isUndecided({ status, expires_at }: { status: ApprovalStatus; expires_at: Date }, now: Date): boolean {
  return PENDING.includes(status) && !isExpired({ expires_at }, now);
}

/** Whether the approval has expired, even if its status does not show it yet. */
export function isExpired(approval: { expires_at: Date }, now: Date): boolean {
  return approval.expires_at.getTime() <= now.getTime();
}

function hasChanged({ approval, seen_payload_hash }: Ballot): boolean {
  return seen_payload_hash !== undefined && seen_payload_hash.toLowerCase() !== approval.payload_hash;
}
