/** The conditions of joining, and the display names of members. */
import { NAME_MAX_CODE_POINTS } from '../../../lib/contracts/membership/members.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { AssociationRow } from '../associations/association.table.ts';
import type { MemberRow } from './member.table.ts';

/**
 * Returns why the user may not join; null if they may. The result is final under the lock on the association, where
 * `member_count` cannot change.
 * @param member the user's row in this association, if they have ever joined it
 */
export function joiningRefusal(
  isInvited: boolean,
  association: Pick<AssociationRow, 'is_public' | 'status' | 'member_count' | 'max_members'>,
  member: Pick<MemberRow, 'status'> | null | undefined,
): ErrorCode | null {
  const isActive = member?.status === 'active';
  // Without an invitation, outsiders cannot see private associations, and expelled members cannot see any.
  if (!isInvited && !isActive && (!association.is_public || member?.status === 'expelled')) return 'not_found';
  if (isActive) return 'already_member';
  if (association.status === 'closed') return 'association_closed';
  return association.member_count >= association.max_members ? 'association_full' : null;
}

/** Names cannot contain control characters. One of them is U+0000, which PostgreSQL's text cannot store. */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** Returns the display name from a token's `name`, shortened if too long; null if it has no readable characters. */
export function displayNameOf(tokenName: string | null): string | null {
  if (tokenName === null) return null;
  const readable = tokenName.toWellFormed().replace(CONTROL_CHARACTERS, ' ').trim();
  const short = Array.from(readable).slice(0, NAME_MAX_CODE_POINTS).join('').trim();
  return short === '' ? null : short;
}
