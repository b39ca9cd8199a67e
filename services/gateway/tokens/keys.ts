import { createPublicKey, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { ASYMMETRIC, SYMMETRIC } from '../../../lib/config/jwt-settings.ts';
import type { Algorithm, JwtSettings } from '../../../lib/config/jwt-settings.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import type { KeySet } from './key-set.ts';

/** A key with the algorithms that it may be used with. */
export interface VerificationKey {
  key: KeyObject;
  algorithms: Algorithm[];
  /** Its id in the provider's set. */
  kid?: unknown;
}

/** The parts of a token's header that name its key. */
export interface TokenHeader {
  alg: string;
  kid?: string | undefined;
}

/**
 * Finds the keys that a token's signature may be of: none when none of ours fits. As long as a key stays what it is, it
 * is the same object.
 * @throws service_unavailable while there is no key set
 */
export type KeyFinder = (header: TokenHeader) => Promise<VerificationKey[]>;

/** A token without a key id is tried with so many keys: each costs a verification. Providers without ids have one or two. */
const TRIED_MAX_KEYS = 4;

/** RFC 7518, section 3.4: one curve for each. */
const BY_CURVE: Record<string, Algorithm> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/**
 * The keys of the settings, and of the key set where there is one. The token's algorithm only chooses among them; which
 * algorithms a key serves is decided by the key and the settings alone, so a public key never verifies an HMAC and `none`
 * finds nothing.
 * @throws StartupError for a public key that no algorithm of ours uses
 */
export function keyFinder(settings: JwtSettings, keySet?: KeySet): KeyFinder {
  const secret = secretKey(settings);
  const pem = settings.publicKeyPem === undefined ? [] : [publicKey(settings.publicKeyPem)];
  const accepted: readonly string[] = settings.algorithms ?? ASYMMETRIC;
  return async (header) => {
    const { alg, kid } = header;
    if ((SYMMETRIC as readonly string[]).includes(alg)) return secret;
    if (!accepted.includes(alg)) return [];
    const isOfSet = keySet !== undefined && (kid !== undefined || pem.length === 0);
    const keys = isOfSet ? await keySet.find(header) : pem;
    return keys.filter(({ algorithms }) => (algorithms as string[]).includes(alg)).slice(0, TRIED_MAX_KEYS);
  };
}

function secretKey({ secret, algorithms }: JwtSettings): VerificationKey[] {
  if (secret === undefined) return [];
  const chosen = algorithms?.filter((algorithm) => (SYMMETRIC as readonly string[]).includes(algorithm)) ?? ['HS256'];
  return [{ key: createSecretKey(Buffer.from(secret)), algorithms: chosen }];
}

function publicKey(pem: string): VerificationKey {
  const key = createPublicKey(pem);
  const algorithms = algorithmsOf(key);
  if (algorithms.length === 0) {
    throw new StartupError('JWT_PUBLIC_KEY must be an RSA key, an EC key on P-256, P-384 or P-521, or an Ed25519 key.');
  }
  return { key, algorithms };
}

/** The algorithms that a public key can verify; none for a kind of key that tokens are not signed with. */
export function algorithmsOf(key: KeyObject): Algorithm[] {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return ASYMMETRIC.filter((algorithm) => /^[RP]S/.test(algorithm));
    case 'ed25519':
      return ['EdDSA', 'Ed25519'];
    case 'ec': {
      const algorithm = BY_CURVE[key.asymmetricKeyDetails?.namedCurve ?? ''];
      return algorithm === undefined ? [] : [algorithm];
    }
    default:
      return [];
  }
}
