/** One service knows the idempotency keys of all services, so that a key is recognized in any service. */
import * as t from './fields.ts';
import { command } from './action.ts';

/** The service that knows all keys. It needs no command for its own keys. */
export const IDEMPOTENCY_KEY_SERVICE = 'membership';

const boundKey = {
  user_id: t.opaque(t.USER_ID_MAX_CODE_POINTS),
  key: t.opaque(t.IDEMPOTENCY_KEY_MAX_LENGTH),
  /** SHA-256 (hex) of method, path and body without PINs. */
  fingerprint: t.opaque(t.HEX_256_LENGTH),
};

const actsForUser = {
  user: ({ user_id }: { user_id: string }) => user_id,
  within: (action: string) => !action.startsWith(`${IDEMPOTENCY_KEY_SERVICE}.`),
};

/**
 * Binds a user's Idempotency-Key to the request for which a service has claimed it. Refuses with
 * idempotency_key_reused. The operation is in the metadata (CallMeta), as 0.1.0 refuses another member of the input.
 */
export const bindIdempotencyKey = command({
  name: `${IDEMPOTENCY_KEY_SERVICE}.bind_idempotency_key`,
  input: boundKey,
  answer: t.object({ ok: t.boolean() }),
  acts_for: actsForUser,
});

/** Releases a bound key after its request was refused. */
export const freeIdempotencyKey = command({
  name: `${IDEMPOTENCY_KEY_SERVICE}.free_idempotency_key`,
  input: boundKey,
  answer: t.object({ ok: t.boolean() }),
  acts_for: actsForUser,
});
