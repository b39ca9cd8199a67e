/** PINs, as membership keeps them: the keys to encrypt them to, setting and deleting one. */
import { described, enumeration, free, integer, list, named, object, opaque, optional } from '../../schema/fields.ts';
import { endpoint } from '../action.ts';
import { sealedPin, userId } from '../ids.ts';

const nothing = object({});

const pinKey = named(
  'PinKey',
  object({
    kty: enumeration(['RSA']),
    n: described(
      opaque(1_024),
      'The modulus, base64url.',
      'u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0_IzW7yWR7QkrmBL7jTKEn5u',
    ),
    e: described(opaque(16), 'The exponent, base64url.', 'AQAB'),
    kid: described(opaque(128), 'Names the key.', '2026-10-a'),
    use: enumeration(['enc']),
    alg: enumeration(['RSA-OAEP-256']),
    exp: described(
      integer(0, Number.MAX_SAFE_INTEGER),
      'Seconds since 1970: ciphertexts are accepted until then.',
      1_798_761_600,
    ),
  }),
);

export const pinKeys = endpoint({
  name: 'membership.pin_keys',
  tag: 'PINs',
  summary: 'Get the keys for encrypting PINs',
  description: 'A JWK Set (RFC 7517), the newest key first: use that one. Needs no token.',
  answer: named('PinKeySet', object({ keys: described(list(free([pinKey])), 'The newest first.') })),
});

export const setPin = endpoint({
  name: 'membership.set_pin',
  tag: 'PINs',
  summary: "Set or change one's PIN",
  description:
    '`current_pin` is required once a PIN is set; a wrong one counts like any other wrong PIN. Here the ciphertext is ' +
    'part of what an `Idempotency-Key` stands for: another one under the same key is `idempotency_key_reused`.',
  keyed_by_pin: true,
  never: ['pin_not_set'],
  body: { pin: sealedPin(), current_pin: optional(sealedPin()) },
  status: 204,
  answer: nothing,
  examples: { body: { pin: sealedPin().example as string } },
});

/** Needs the scope `pins:reset`. */
export const resetPin = endpoint({
  name: 'membership.reset_pin',
  tag: 'PINs',
  summary: "Delete a user's PIN and its lock",
  description: 'For operators who have made sure whom they talk to. It is done also if he has none.',
  scope: 'pins:reset',
  path: { user_id: userId() },
  status: 204,
  answer: nothing,
});
