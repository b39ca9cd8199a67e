/** What the public sees of associations and members (contract, section 3, "Associations and members"). */
import type { Association, Member } from '../../../lib/contracts/membership.ts';
import { isBoardRole } from '../../../lib/contracts/permissions.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { AssociationRecord } from './association.table.ts';
import type { MemberRecord } from '../members/member.table.ts';

/** What an association's reader sees of himself. */
export type Viewer = Pick<MemberRecord, 'id' | 'role' | 'status' | 'hands' | 'joined_at'>;

/** An association as `viewer`, if he is an active member, or anybody else sees it. */
export function presentAssociation(association: AssociationRecord, viewer: Viewer | null): Association {
  return {
    id: association.id,
    name: association.name,
    description: association.description,
    type: association.type,
    currency: association.currency,
    contribution_amount: toMajor(association.contribution_amount_minor, association.currency),
    contribution_frequency: association.contribution_frequency,
    max_members: association.max_members,
    is_public: association.is_public,
    status: association.status,
    member_count: association.member_count,
    rules: association.rules,
    rules_version: association.rules_version,
    created_at: association.created_at.toISOString(),
    ...(viewer === null
      ? {}
      : {
          membership: {
            member_id: viewer.id,
            role: viewer.role,
            status: viewer.status,
            hands: viewer.hands,
            joined_at: viewer.joined_at.toISOString(),
          },
        }),
  };
}

/** A member as `viewer` sees him: the payout wallet shows to its owner and the board only. Text is RFC 3339. */
export function presentMember(
  member: Omit<MemberRecord, 'joined_at'> & { joined_at: Date | string },
  viewer: Pick<MemberRecord, 'id' | 'role'>,
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
