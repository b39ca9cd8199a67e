import type { ActionSchema } from 'moleculer';
import { implement } from '../../../lib/actions/implement.ts';
import { resetPin } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { deletePin } from '../persistence/pins.ts';
import type { MembershipDeps } from '../deps.ts';

const SCOPE = 'pins:reset';

/** Deletes a user's PIN with its lock, for an operator who has made sure whom he talks to. */
export function resetPinAction({ foundation }: MembershipDeps): ActionSchema {
  return implement(resetPin, async ({ path }, caller) => {
    if (!caller.scopes.includes(SCOPE)) throw problem('insufficient_scope', { required_scopes: [SCOPE] });
    // PostgreSQL's text cannot hold U+0000, so nobody has such a name.
    if (!path.user_id.includes('\0')) await deletePin(foundation.db.manager, path.user_id);
    return {};
  });
}
