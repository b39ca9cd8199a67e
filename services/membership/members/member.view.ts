import type { Member, MemberReference } from '../../../lib/contracts/membership.ts';
import { isBoardRole } from '../../../lib/contracts/permissions.ts';
import type { MemberFacts, MemberRow } from './member.table.ts';

/** A member as `viewer` sees them: the payout wallet shows to its owner and the board only. Text is RFC 3339. */
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

/** The member in the form in which they cross to other services. */
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
