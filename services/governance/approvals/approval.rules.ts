/** Who decides a request, and what the votes decide (contract, "Governance"). */
import { PROPOSAL_TYPES, type SubjectType } from '../../../lib/contracts/approvals.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { UNDECIDED, type ApprovalStatus, type VoteDecision } from './approval.table.ts';

/** The members of a request that determine who may decide it. */
export interface Request {
  subject_type: SubjectType;
  requested_by_member_id: string;
  /** The member that it benefits or concerns: a depositor, a beneficiary, the subject of a role change. */
  concerned_member_id: string | null;
}

/**
 * Who may vote: active board members other than the requester and the member concerned. A president who is to be replaced
 * is not the member concerned.
 * @param board ids of the active members with a board role
 */
export function eligibleApprovers(board: readonly string[], request: Request): string[] {
  return board.filter((member) => member !== request.requested_by_member_id && member !== request.concerned_member_id);
}

/**
 * How many approvals a request needs, fixed when it is made. 0: the board is one person who makes a proposal, which is
 * thereby approved. Null: it has no eligible approver.
 * @param rule how many approvals the association's rules ask of this type of subject
 */
export function requiredApprovals(board: readonly string[], request: Request, rule: number): number | null {
  const eligible = eligibleApprovers(board, request).length;
  if (eligible > 0) return Math.min(rule, eligible);
  const isAlone = board.length === 1 && board[0] === request.requested_by_member_id;
  return isAlone && isProposal(request.subject_type) ? 0 : null;
}

/** Proposals move no money. */
function isProposal(type: SubjectType): boolean {
  return (PROPOSAL_TYPES as readonly string[]).includes(type);
}

export interface Vote {
  member_id: string;
  decision: VoteDecision;
}

/**
 * What the votes decide under the present board: a vote counts only while its voter holds a board role, and a request
 * is rejected as soon as the required number cannot be reached any more.
 * @param board ids of the active members with a board role, now
 */
export function judge(
  request: Request & { required_approvals: number },
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

/** A vote, with what it is judged by. */
export interface Ballot {
  approval: Request & { status: ApprovalStatus; expires_at: Date; payload_hash: string };
  votes: readonly Vote[];
  voter_id: string;
  /** Hash of the payload that the voter has seen; undefined if the client does not send it. */
  seen_payload_hash: string | undefined;
  now: Date;
}

/** Why a vote is refused, in the order in which it is checked: first who may not vote at all, then the present state. */
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

/** The code of the first refusal that applies; undefined if the vote may be cast. */
export function voteRefusal(ballot: Ballot): ErrorCode | undefined {
  return REFUSALS.find((refusal) => refusal.applies(ballot))?.code;
}

/** Whether it can still be decided: it is pending, and its time is not over. */
export function isUndecided({ status, expires_at }: { status: ApprovalStatus; expires_at: Date }, now: Date): boolean {
  return UNDECIDED.includes(status) && !isExpired({ expires_at }, now);
}

/** Whether its time is over, even if it has not been marked as expired yet. */
export function isExpired(approval: { expires_at: Date }, now: Date): boolean {
  return approval.expires_at.getTime() <= now.getTime();
}

function hasChanged({ approval, seen_payload_hash }: Ballot): boolean {
  return seen_payload_hash !== undefined && seen_payload_hash.toLowerCase() !== approval.payload_hash;
}
