/** Who may leave or be expelled (contract, section 3), as far as membership alone can tell. */
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { MemberRecord } from '../members/member.table.ts';

/**
 * Why the member cannot go; null if they can.
 * @param isBound whether a running cycle binds them
 */
export function departureRefusal(
  member: Pick<MemberRecord, 'role' | 'status'> | null,
  isBound: boolean,
): ErrorCode | null {
  if (member?.status !== 'active') return 'not_found';
  if (member.role === 'president') return 'president_cannot_leave';
  return isBound ? 'member_has_obligations' : null;
}
