/** The permissions of members. Callers refuse in the order of refusals (docs/architecture.md). */
import { PERMISSION_TABLE, type Permission, type Role } from '../../../lib/contracts/permissions.ts';
import { problem, type Problem } from '../../../lib/errors/problem.ts';
import type { AssociationStatus } from '../associations/association.table.ts';
import type { MemberFacts } from '../members/member.table.ts';

/** Whether the permission extends to former members. */
export function admitsFormer(permission: Permission): boolean {
  const entry = PERMISSION_TABLE[permission];
  return 'former' in entry && entry.former;
}

/** Returns the member with their current role. Former members have no office, regardless of the stored role. */
export function withCurrentRole(member: MemberFacts): MemberFacts {
  return member.status === 'active' ? member : { ...member, role: 'member' };
}

/** Returns the refusal if the role does not have the permission; otherwise null. */
export function roleRefusal(permission: Permission, role: Role): Problem | null {
  const required: readonly Role[] = PERMISSION_TABLE[permission].roles;
  return required.includes(role) ? null : problem('role_not_allowed', { required_roles: [...required] });
}

/** Returns the refusal if the permission is to change a closed association; otherwise null. */
export function closedRefusal(permission: Permission, status: AssociationStatus): Problem | null {
  return PERMISSION_TABLE[permission].write && status === 'closed' ? problem('association_closed') : null;
}
