import * as t from '../fields.ts';
import { chapter, nothing } from '../action.ts';

const EXAMPLE_MODULUS = 'u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0_IzW7yWR7QkrmBL7jTKEn5u';

const pinKey = t.record('PinKey', {
  kty: t.enumeration(['RSA']),
  n: t.opaque(1_024, 'The modulus, base64url.', EXAMPLE_MODULUS),
  e: t.opaque(16, 'The exponent, base64url.', 'AQAB'),
  kid: t.opaque(128, 'The id of the key.', '2026-10-a'),
  use: t.enumeration(['enc']),
  alg: t.enumeration(['RSA-OAEP-256']),
  exp: t.integer(0, t.UNBOUNDED, 'Seconds since 1970. Ciphertexts are accepted until then.', 1_798_761_600),
});

const endpoint = chapter('PINs');

export const pinKeys = endpoint({
  name: 'membership.pin_keys',
  summary: 'Get the keys for encrypting PINs',
  description: 'A JWK Set (RFC 7517), newest key first. Use the newest key. No token is required.',
  open: true,
  answer: t.record('PinKeySet', { keys: t.list(t.free(pinKey), 'Newest first.') }),
});

export const setPin = endpoint({
  name: 'membership.set_pin',
  summary: "Set or change the caller's own PIN",
  description:
    '`current_pin` is required if a PIN is set, and a wrong one counts like any wrong PIN. In this operation the ' +
    'ciphertext is part of the request that an `Idempotency-Key` belongs to: another ciphertext with the same key is ' +
    'refused with `idempotency_key_reused`.',
  keyed_by_pin: true,
  never: ['pin_not_set'],
  body: { pin: t.sealedPin(), current_pin: t.optional(t.sealedPin()) },
  status: 204,
  answer: nothing,
  examples: { body: { pin: t.sealedPin().example as string } },
});

export const pinState = endpoint({
  name: 'membership.pin_state',
  summary: "Show whether the caller's own PIN is set or locked",
  answer: t.record('PinState', {
    set: t.boolean('Whether the caller has a PIN.', true),
    locked_until: t.nullable(t.at('Until when the PIN is locked; null if it is not.'), null),
    attempts_left: t.integer(0, 5, 'The number of wrong PINs left before the PIN is locked; 0 if it is locked now.', 5),
  }),
});

export const resetPin = endpoint({
  name: 'membership.reset_pin',
  summary: "Delete a user's PIN and its lock",
  description: 'For operators who have verified the identity of the user. Succeeds even if the user has no PIN.',
  scope: 'pins:reset',
  path: { user_id: t.userId() },
  status: 204,
  answer: nothing,
});
