import type { ActionSchema } from 'moleculer';
import { bindIdempotencyKey, freeIdempotencyKey } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { bindKey, unbindKey } from '../../../lib/idempotency/claims.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { MembershipDeps } from '../deps.ts';

/** Keeps the keys of all services, so that one that is used again in another service is recognized. */
export function bindIdempotencyKeyAction({ db, runtime, insertClaim }: MembershipDeps): ActionSchema {
  return implementCommand(bindIdempotencyKey, async (bound) => {
    const claim = { ...bound, operation_id: runtime.newId() };
    const isBound = await bindKey(db, claim, runtime.clock(), insertClaim);
    if (!isBound) throw problem('idempotency_key_reused');
    return { ok: true };
  });
}

export function freeIdempotencyKeyAction({ db }: MembershipDeps): ActionSchema {
  return implementCommand(freeIdempotencyKey, async (bound) => {
    await unbindKey(db, bound);
    return { ok: true };
  });
}
