import type { EntityManager } from 'typeorm';
import { problem } from '../../../lib/errors/problem.ts';
import type { Permission } from '../../../lib/contracts/permissions.ts';
import { closedRefusal, roleRefusal } from '../authorize/access.rules.ts';
import type { AssociationRecord } from '../associations/association.table.ts';
import type { MemberRecord } from '../members/member.table.ts';
import { lockAssociation } from '../associations/association.store.ts';
import { lockMember } from '../members/member.store.ts';

/**
 * The association and the caller's active membership of it, both locked until the transaction ends.
 * @throws not_found, role_not_allowed, association_closed
 */
export async function lockOwnMembership(
  manager: EntityManager,
  association_id: string,
  user_id: string,
  permission: Permission,
): Promise<{ association: AssociationRecord; member: MemberRecord }> {
  const association = await lockAssociation(manager, association_id);
  const member = await lockMember(manager, association_id, user_id);
  if (association === null || member?.status !== 'active') throw problem('not_found');
  const refusal = roleRefusal(permission, member.role) ?? closedRefusal(permission, association.status);
  if (refusal !== null) throw refusal;
  return { association, member };
}
