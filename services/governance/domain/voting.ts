import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { Request } from './eligibility.ts';
import type { Vote } from './judgement.ts';
import { isOpen } from './states.ts';
import type { ApprovalStatus } from './states.ts';

/** What a vote is judged by. */
export interface Ballot {
  approval: Request & { status: ApprovalStatus; expires_at: Date; payload_hash: string };
  votes: readonly Vote[];
  voter_id: string;
  /** The payload that the voter has seen; not every client says. */
  seen_payload_hash: string | undefined;
  now: Date;
}

/** Why a vote is refused, first come first: who may not vote at all, then what stands in the way now. */
const REFUSALS: readonly { code: ErrorCode; applies: (ballot: Ballot) => boolean }[] = [
  { code: 'own_request', applies: ({ approval, voter_id }) => approval.requested_by_member_id === voter_id },
  {
    code: 'beneficiary_cannot_approve',
    applies: ({ approval, voter_id }) => approval.concerned_member_id === voter_id,
  },
  { code: 'approval_not_pending', applies: ({ approval, now }) => !isOpen(approval.status) || isPast(approval, now) },
  { code: 'approval_changed', applies: hasChanged },
  { code: 'already_voted', applies: ({ votes, voter_id }) => votes.some((vote) => vote.member_id === voter_id) },
];

/** The code of the first refusal that applies; undefined if the vote may be cast. */
export function refusalOf(ballot: Ballot): ErrorCode | undefined {
  return REFUSALS.find((refusal) => refusal.applies(ballot))?.code;
}

/** Whether its time is over, even if nobody has marked it as expired yet. */
export function isPast(approval: { expires_at: Date }, now: Date): boolean {
  return approval.expires_at.getTime() <= now.getTime();
}

function hasChanged({ approval, seen_payload_hash }: Ballot): boolean {
  return seen_payload_hash !== undefined && seen_payload_hash.toLowerCase() !== approval.payload_hash;
}
