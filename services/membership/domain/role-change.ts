/** Role changes: there is exactly one president (contract, section 2). */
import type { Role } from '../../../lib/contracts/permissions.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { AssociationStatus } from '../associations/association.table.ts';
import type { MemberRecord } from '../members/member.table.ts';

export interface RoleChange {
  member_id: string;
  from: Role;
  to: Role;
}

export type RoleChangePlan = { changes: RoleChange[] } | { refused: ErrorCode };

type Member = Pick<MemberRecord, 'id' | 'role' | 'status'>;

/**
 * The changes that give `target` the role, in the order in which they must be stored: the old president steps down
 * before the new one takes over. A president cannot step down by himself: `president_cannot_leave`, whose remedy
 * ("hand the presidency over first") is the one here too.
 */
export function planRoleChange(
  status: AssociationStatus,
  target: Member | null,
  role: Role,
  president: Member,
): RoleChangePlan {
  if (target?.status !== 'active') return { refused: 'not_found' };
  if (status === 'closed') return { refused: 'association_closed' };
  if (target.role === role) return { changes: [] };
  if (target.role === 'president') return { refused: 'president_cannot_leave' };
  const change: RoleChange = { member_id: target.id, from: target.role, to: role };
  if (role !== 'president') return { changes: [change] };
  return { changes: [{ member_id: president.id, from: president.role, to: 'member' }, change] };
}
