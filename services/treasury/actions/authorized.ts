import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import { authorize } from '../../../lib/contracts/membership.ts';
import type { Authorization, MemberReference } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { TreasuryDeps } from '../deps.ts';

/** Asks membership whether the user may; throws its refusal if not. */
export function authorized(
  { timings }: TreasuryDeps,
  ctx: CanCall,
  question: CommandInput<typeof authorize>,
): Promise<Authorization> {
  return call(ctx, authorize, question, timings.peer_timeout_ms);
}

/** The terms under which any member reads what is his association's. */
export async function authorizedToRead(
  deps: TreasuryDeps,
  ctx: CanCall,
  association_id: string,
  user_id: string,
): Promise<Authorization['terms']> {
  const { terms } = await authorized(deps, ctx, { association_id, user_id, permission: 'read' });
  return terms;
}

/** The active member whom the request names; whoever is none is not found. */
export function activeMember(authorization: Authorization, member_id: string): MemberReference {
  const found = authorization.members.find((member) => member.member_id === member_id && member.status === 'active');
  if (found === undefined) throw problem('not_found');
  return found;
}

/** The request's amount as membership read it, in minor units. */
export function amountOf(authorization: Authorization): bigint {
  if (authorization.amount_minor === undefined) throw new Error('membership did not read the amount');
  return BigInt(authorization.amount_minor);
}
