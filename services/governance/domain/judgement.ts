import type { VOTE_DECISIONS } from '../../../lib/contracts/governance.ts';
import { eligibleApprovers } from './eligibility.ts';
import type { Request } from './eligibility.ts';

export type VoteDecision = (typeof VOTE_DECISIONS)[number];

export interface Vote {
  member_id: string;
  decision: VoteDecision;
}

/**
 * What the votes come to under the present board: a vote counts only while its voter holds a board role, and a request
 * is rejected as soon as the required number cannot be reached any more (contract, "Governance").
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
