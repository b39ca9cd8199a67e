/** The conditions of closing an association and of leaving it, as far as membership can check them. */
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { AssociationStatus } from '../associations/association.table.ts';
import type { MemberRow } from '../members/member.table.ts';
import type { EndingRow } from './ending.table.ts';

/**
 * Returns why an association or a membership may not end; null if it may. Must be called under the lock on the
 * association.
 * @param member the member who leaves or is expelled; undefined for a closure, or if the member does not exist
 * @param isBound whether the member has obligations, such as a running cycle or a pending request
 */
export function endingRefusal(
  kind: EndingRow['kind'],
  status: AssociationStatus,
  member: Pick<MemberRow, 'role' | 'status'> | undefined,
  isBound: boolean,
): ErrorCode | null {
  if (status === 'closed') return 'association_closed';
  return kind === 'closure' ? null : departureRefusal(member, isBound);
}

/** Returns why the member cannot leave or be expelled; null if they can. */
export function departureRefusal(
  member: Pick<MemberRow, 'role' | 'status'> | undefined,
  isBound: boolean,
): ErrorCode | null {
  if (member?.status !== 'active') return 'not_found';
  if (member.role === 'president') return 'president_cannot_leave';
  return isBound ? 'member_has_obligations' : null;
}
