import type { MEMBER_STATUSES, MemberReference } from '../../../lib/contracts/membership.ts';
import type { Role } from '../../../lib/contracts/permissions.ts';

export type MemberStatus = (typeof MEMBER_STATUSES)[number];

/** One user in one association, for good: who leaves and comes back is the same member. */
export interface MemberRecord {
  id: string;
  association_id: string;
  user_id: string;
  display_name: string | null;
  role: Role;
  status: MemberStatus;
  /** Shares in the rotation. */
  hands: number;
  payout_wallet_id: string | null;
  /** Of the last time that he joined. */
  joined_at: Date;
  /** How often they have left or been expelled: what other services lock for a departure is of one tenure. */
  tenure: number;
}

/** What other services may know of a member. */
export type MemberFacts = Omit<MemberRecord, 'association_id' | 'tenure'>;

/** The member in the form in which he crosses to other services. */
export function referenceOf(member: MemberFacts): MemberReference {
  return {
    member_id: member.id,
    user_id: member.user_id,
    display_name: member.display_name,
    role: member.role,
    status: member.status,
    hands: member.hands,
    payout_wallet_id: member.payout_wallet_id,
    joined_at: member.joined_at.toISOString(),
  };
}
