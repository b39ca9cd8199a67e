/** Who may join and who may go (contract, section 3), by what membership alone knows; and how members are named. */
import { NAME_MAX_CODE_POINTS } from '../../../lib/contracts/membership/members.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { AssociationRow } from '../associations/association.table.ts';
import type { MemberRow } from './member.table.ts';

export type Door = 'public' | 'invitation';

/**
 * Why the user may not join; null if they may. To be asked under the lock on the association, where `member_count`
 * cannot change meanwhile.
 * @param member the user's row in this association, if they ever joined it
 */
export function joiningRefusal(
  door: Door,
  association: Pick<AssociationRow, 'is_public' | 'status' | 'member_count' | 'max_members'>,
  member: Pick<MemberRow, 'status'> | null | undefined,
): ErrorCode | null {
  const isActive = member?.status === 'active';
  // A private association does not exist for those outside of it, nor does a public one for those it has expelled.
  if (door === 'public' && !isActive && (!association.is_public || member?.status === 'expelled')) return 'not_found';
  if (isActive) return 'already_member';
  if (association.status === 'closed') return 'association_closed';
  return association.member_count >= association.max_members ? 'association_full' : null;
}

/**
 * Why the member cannot go; null if they can.
 * @param isBound whether a running cycle binds them
 */
export function departureRefusal(
  member: Pick<MemberRow, 'role' | 'status'> | undefined,
  isBound: boolean,
): ErrorCode | null {
  if (member?.status !== 'active') return 'not_found';
  if (member.role === 'president') return 'president_cannot_leave';
  return isBound ? 'member_has_obligations' : null;
}

/** Control characters (U+0000 among them, which PostgreSQL's text cannot hold) have no place in a name. */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** The display name that a token's `name` gives, made to fit; null if nothing of it is left. */
export function displayNameOf(tokenName: string | null): string | null {
  if (tokenName === null) return null;
  const readable = tokenName.toWellFormed().replace(CONTROL_CHARACTERS, ' ').trim();
  const short = Array.from(readable).slice(0, NAME_MAX_CODE_POINTS).join('').trim();
  return short === '' ? null : short;
}
