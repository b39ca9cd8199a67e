import type { ActionSchema } from 'moleculer';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { resetPin } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { deletePin } from './pin.store.ts';
import type { MembershipDeps } from '../deps.ts';

const SCOPE = 'pins:reset';

/** Deletes a user's PIN with its lock, for an operator who has made sure whom he talks to. */
export function resetPinAction({ foundation }: MembershipDeps): ActionSchema {
  return implementWrite(foundation, resetPin, async ({ path }, caller, _ctx, operation) => {
    if (!caller.scopes.includes(SCOPE)) throw problem('insufficient_scope', { required_scopes: [SCOPE] });
    await foundation.db.transaction(async (manager) => {
      // PostgreSQL's text cannot hold U+0000, so nobody has such a name.
      if (!path.user_id.includes('\0')) await deletePin(manager, path.user_id);
      await operation.answered(manager, {});
    });
    return {};
  });
}
