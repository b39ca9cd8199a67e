import { problem } from '@association-service/contracts';
import { authorizeCaller, requireScope } from '@association-service/contracts/moleculer';
import { MANAGE_SCOPE, MANAGING_ROLES } from '../contracts.ts';
import type { AuthorizeOwner } from './deps.ts';

/** For endpoints of an association: its president and secretaries. The role is read at every request. */
export const asBoard: AuthorizeOwner = async (ctx, caller, path) => {
  const { association_id } = path as { association_id: string };
  const { terms, member } = await authorizeCaller(ctx, caller, association_id, 'read');
  if (!MANAGING_ROLES.some((role) => role === member.role)) {
    throw problem('role_not_allowed', { required_roles: MANAGING_ROLES });
  }
  return { association_id, isClosed: terms.status === 'closed' };
};

/** For endpoints of all associations. */
export const asManager: AuthorizeOwner = (_ctx, caller) => {
  requireScope(caller, MANAGE_SCOPE);
  return Promise.resolve({ association_id: null, isClosed: false });
};
