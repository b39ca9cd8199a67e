/** Who may go (contract, section 3), by what membership alone knows. */
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { AssociationStatus } from '../associations/association.table.ts';
import type { MemberRow } from '../members/member.table.ts';
import type { EndingRow } from './ending.table.ts';

/**
 * Why an association or a membership may not end; null if it may. Called under the lock on the association.
 * @param member the member who goes; undefined for a closure, or if there is no such member
 * @param isBound whether something that other services hold binds the member
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

/** Why the member cannot go; null if they can. */
export function departureRefusal(
  member: Pick<MemberRow, 'role' | 'status'> | undefined,
  isBound: boolean,
): ErrorCode | null {
  if (member?.status !== 'active') return 'not_found';
  if (member.role === 'president') return 'president_cannot_leave';
  return isBound ? 'member_has_obligations' : null;
}
