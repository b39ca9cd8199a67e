/** Who can be expelled (contract, section 3, "Governance"). Arrears prevent it no more than they end with it. */
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { MemberRecord } from './member.ts';

/**
 * Why the member cannot be expelled; null if he can.
 * @param isBound whether a running cycle binds him
 */
export function expulsionRefusal(
  target: Pick<MemberRecord, 'role' | 'status'> | null,
  isBound: boolean,
): ErrorCode | null {
  if (target?.status !== 'active') return 'not_found';
  if (target.role === 'president') return 'president_cannot_leave';
  return isBound ? 'member_has_obligations' : null;
}
