import { call } from '../../../lib/actions/call.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import type { Caller, CommandInput } from '../../../lib/contracts/action.ts';
import { authorize } from '../../../lib/contracts/membership.ts';
import type { Authorization } from '../../../lib/contracts/membership.ts';
import type { Permission } from '../../../lib/contracts/permissions.ts';

type Particulars = Partial<Omit<CommandInput<typeof authorize>, 'association_id' | 'user_id' | 'permission'>>;

/** Asks membership whether the caller may do this here; throws its refusal. */
export function authorized(
  ctx: CallContext,
  caller: Caller,
  association_id: string,
  permission: Permission,
  particulars: Particulars = {},
): Promise<Authorization> {
  return call(ctx, authorize, { association_id, user_id: caller.user_id, permission, ...particulars });
}
