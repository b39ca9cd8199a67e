import type { ActionSchema } from 'moleculer';
import { bindIdempotencyKey, freeIdempotencyKey } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { bindKey, unbindKey } from '../../../lib/idempotency/claims.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { MembershipDeps } from '../deps.ts';

/**
 * Binds an idempotency key to a request. Membership keeps the keys of all services to recognize reuse across services.
 */
export function bindIdempotencyKeyAction({ db, runtime, insertClaim }: MembershipDeps): ActionSchema {
  return implementCommand(bindIdempotencyKey, async (bound, { meta }) => {
    // A caller of 0.1.0 does not say its operation.
    const claim = { ...bound, operation_id: meta.idempotency?.operation_id ?? runtime.newId() };
    const isBound = await bindKey(db, claim, runtime.clock(), insertClaim);
    if (!isBound) throw problem('idempotency_key_reused');
    return { ok: true };
  });
}

/** Frees an idempotency key, so that it can be bound again. */
export function freeIdempotencyKeyAction({ db }: MembershipDeps): ActionSchema {
  return implementCommand(freeIdempotencyKey, async (bound) => {
    await unbindKey(db, bound);
    return { ok: true };
  });
}
