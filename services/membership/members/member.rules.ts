/** Who may join (contract, section 3: full, already in, rejoining, expelled, closed). */
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { AssociationRecord } from '../associations/association.table.ts';
import type { MemberRecord } from './member.table.ts';

export type Door = 'public' | 'invitation';

export type Admission = { as: 'new' | 'rejoining' } | { refused: ErrorCode };

/**
 * Decides on joining. To be asked under the lock on the association, where `member_count` cannot change meanwhile.
 * @param member the user's row in this association, if he ever joined it
 */
export function admit(
  door: Door,
  association: Pick<AssociationRecord, 'is_public' | 'status' | 'member_count' | 'max_members'>,
  member: Pick<MemberRecord, 'status'> | null,
): Admission {
  const active = member?.status === 'active';
  // A private association does not exist for those outside of it; for one who was expelled a public one is the same.
  if (door === 'public' && !active && (!association.is_public || member?.status === 'expelled')) {
    return { refused: 'not_found' };
  }
  if (active) return { refused: 'already_member' };
  if (association.status === 'closed') return { refused: 'association_closed' };
  if (association.member_count >= association.max_members) return { refused: 'association_full' };
  return { as: member === null ? 'new' : 'rejoining' };
}
