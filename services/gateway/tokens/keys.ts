/** Which keys may verify which tokens. */
import { createPublicKey, createSecretKey } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { ASYMMETRIC, SYMMETRIC } from '../../../lib/config/jwt-settings.ts';
import type { Algorithm, JwtSettings } from '../../../lib/config/jwt-settings.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';

/** A key with the algorithms that it may be used with. */
export interface VerificationKey {
  key: KeyObject;
  algorithms: Algorithm[];
  /** Its id in the provider's set. */
  kid?: unknown;
}

/** The members of a token's header that name its key. */
export interface TokenHeader {
  alg: string;
  kid?: string | undefined;
}

/** RFC 7518, section 3.4: one algorithm for each curve. */
const BY_CURVE: Record<string, Algorithm> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** Whether an algorithm uses a shared secret. */
export function isSymmetric(alg: string): boolean {
  return (SYMMETRIC as readonly string[]).includes(alg);
}

/** The keys that serve an algorithm. */
export function serving<K extends VerificationKey>(keys: readonly K[], alg: string): K[] {
  return keys.filter(({ algorithms }) => (algorithms as string[]).includes(alg));
}

/** The key of JWT_SECRET, if it is set. */
export function secretKeys({ secret, algorithms }: JwtSettings): VerificationKey[] {
  if (secret === undefined) return [];
  return [{ key: createSecretKey(Buffer.from(secret)), algorithms: algorithms?.filter(isSymmetric) ?? ['HS256'] }];
}

/** The key of JWT_PUBLIC_KEY, if it is set. @throws StartupError for a key that no algorithm of ours uses */
export function publicKeys({ publicKeyPem }: JwtSettings): VerificationKey[] {
  if (publicKeyPem === undefined) return [];
  const key = createPublicKey(publicKeyPem);
  const algorithms = algorithmsOf(key);
  if (algorithms.length === 0) {
    throw new StartupError('JWT_PUBLIC_KEY must be an RSA key, an EC key on P-256, P-384 or P-521, or an Ed25519 key.');
  }
  return [{ key, algorithms }];
}

/** A key of a provider's set; undefined for one of an unknown kind, a broken one, and one that is not for signatures. */
export function jwkKey(jwk: unknown): VerificationKey | undefined {
  const { kid, use, key_ops, alg } = (jwk ?? {}) as Record<string, unknown>;
  if ((use !== undefined && use !== 'sig') || (Array.isArray(key_ops) && !key_ops.includes('verify'))) return undefined;
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    // A key that names its algorithm serves that one alone.
    const algorithms = algorithmsOf(key).filter((algorithm) => alg === undefined || alg === algorithm);
    return algorithms.length === 0 ? undefined : { key, algorithms, kid };
  } catch {
    return undefined;
  }
}

/** Whether a token that one of the keys verified is verified by the other as well. */
export function isSameKey(a: VerificationKey, b: VerificationKey): boolean {
  return a.kid === b.kid && String(a.algorithms) === String(b.algorithms) && a.key.equals(b.key);
}

/** The algorithms that a public key can verify; none for a kind of key that tokens are not signed with. */
function algorithmsOf(key: KeyObject): Algorithm[] {
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
