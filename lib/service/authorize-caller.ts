import type { Caller, CommandInput } from '../contracts/action.ts';
import { authorize, type Authorization } from '../contracts/membership/authorization.ts';
import type { NamedMember } from '../contracts/membership/members.ts';
import type { Permission } from '../contracts/permissions.ts';
import { problem } from '../errors/problem.ts';
import { call, type CanCall } from './call.ts';

/** What membership checks or reads in addition to the role: a PIN, an amount, other members. */
type AuthorizeOptions = Partial<Omit<CommandInput<typeof authorize>, 'association_id' | 'user_id' | 'permission'>>;

/**
 * Asks membership whether the caller may do this in the association.
 * @throws its refusal
 */
export function authorizeCaller(
  via: CanCall,
  caller: Caller,
  association_id: string,
  permission: Permission,
  options: AuthorizeOptions = {},
): Promise<Authorization> {
  return call(via, authorize, { association_id, user_id: caller.user_id, permission, ...options });
}

/** @throws insufficient_scope unless the token has the scope */
export function requireScope({ scopes }: Caller, scope: string): void {
  if (!scopes.includes(scope)) throw problem('insufficient_scope', { required_scopes: [scope] });
}

/**
 * Returns the active member that the request names.
 * @throws not_found if there is none
 */
export function activeMember(authorization: Authorization, member_id: string): NamedMember {
  const found = authorization.members.find((member) => member.member_id === member_id && member.status === 'active');
  if (found === undefined) throw problem('not_found');
  return found;
}

/**
 * Asks membership again about a request that was authorized and is not stored yet.
 * @throws its refusal; not_found if the member that the request names has left since then, even if they have joined again
 */
export async function requireSameMember(
  via: CanCall,
  caller: Caller,
  association_id: string,
  permission: Permission,
  { member_id, tenure }: NamedMember,
): Promise<void> {
  const authorization = await authorizeCaller(via, caller, association_id, permission, { member_ids: [member_id] });
  if (activeMember(authorization, member_id).tenure !== tenure) throw problem('not_found');
}

/** Returns the request's amount as membership has read it, in minor units. */
export function amountOf(authorization: Authorization): bigint {
  if (authorization.amount_minor === undefined) throw new Error('membership did not read the amount');
  return BigInt(authorization.amount_minor);
}
