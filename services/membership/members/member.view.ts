import type { Member, MemberReference } from '../../../lib/contracts/membership.ts';
import { isBoardRole } from '../../../lib/contracts/permissions.ts';
import type { MemberFacts, MemberRow } from './member.table.ts';

/**
 * Returns a member as `viewer` sees them. Only the member and the board see the payout wallet.
 * @param member with `joined_at` in RFC 3339 if it is text
 */
export function showMember(
  member: Omit<MemberRow, 'joined_at' | 'tenure'> & { joined_at: Date | string },
  viewer: Pick<MemberRow, 'id' | 'role'>,
): Member {
  const showsWallet = member.id === viewer.id || isBoardRole(viewer.role);
  const shown: Member = {
    id: member.id,
    association_id: member.association_id,
    user_id: member.user_id,
    display_name: member.display_name,
    role: member.role,
    status: member.status,
    hands: member.hands,
    joined_at: typeof member.joined_at === 'string' ? member.joined_at : member.joined_at.toISOString(),
  };
  if (showsWallet) shown.payout_wallet_id = member.payout_wallet_id;
  return shown;
}

/** Returns the member in the form that other services receive. */
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
