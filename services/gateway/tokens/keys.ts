import { createPublicKey, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Algorithm } from 'jsonwebtoken';
import jwksClient from 'jwks-rsa';
import type { SigningKey } from 'jwks-rsa';
import type { JwtSettings } from '../../../lib/config/jwt-settings.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { problem } from '../../../lib/errors/problem.ts';

/** A key with the algorithms that it may be used with. */
export interface VerificationKey {
  key: KeyObject;
  algorithms: Algorithm[];
}

/** The parts of a token's header that name its key. */
export interface TokenHeader {
  alg: string;
  kid?: string | undefined;
}

/**
 * Finds the key for a token; undefined when none of ours fits. A key set that is away is a service_unavailable. As long
 * as a key stays what it is, it is the same object.
 */
export type KeyFinder = (header: TokenHeader) => Promise<VerificationKey | undefined>;

/** Identity providers rotate keys in days; a withdrawn key is dropped after this. */
const JWKS_MAX_AGE_MS = 10 * 60_000;
/** Unknown key ids make us ask again: so often at most, or anyone could make us flood the provider. */
const JWKS_REQUESTS_PER_MINUTE = 10;
/** Callers wait for it. */
const JWKS_TIMEOUT_MS = 3_000;

const RSA: Algorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const RSA_PSS: Algorithm[] = ['PS256', 'PS384', 'PS512'];
/** RFC 7518, section 3.4: one curve for each. */
const BY_CURVE: Record<string, Algorithm> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };
const SYMMETRIC: Algorithm[] = ['HS256', 'HS384', 'HS512'];

/**
 * The keys of the settings. The token's algorithm only chooses among them; which algorithms a key serves is decided by
 * the key and the settings alone, so a public key never verifies an HMAC and `none` finds nothing.
 * @throws StartupError for a public key that no algorithm of ours uses
 */
export function keyFinder(settings: JwtSettings): KeyFinder {
  const allowed = (algorithms: Algorithm[]) =>
    algorithms.filter((algorithm) => settings.algorithms?.includes(algorithm) ?? true);
  const secret = secretKey(settings);
  const pem = settings.publicKeyPem === undefined ? undefined : publicKey(settings.publicKeyPem, allowed);
  const jwks = settings.jwksUrl === undefined ? undefined : remoteKeys(settings.jwksUrl, allowed);
  return async (header) => {
    if ((SYMMETRIC as string[]).includes(header.alg)) return secret;
    if (jwks !== undefined && (header.kid !== undefined || pem === undefined)) return jwks(header);
    return pem;
  };
}

function secretKey({ secret, algorithms }: JwtSettings): VerificationKey | undefined {
  if (secret === undefined) return undefined;
  const chosen = algorithms?.filter((algorithm) => SYMMETRIC.includes(algorithm)) ?? ['HS256' as const];
  return { key: createSecretKey(Buffer.from(secret)), algorithms: chosen };
}

function publicKey(pem: string, allowed: (algorithms: Algorithm[]) => Algorithm[]): VerificationKey {
  const key = createPublicKey(pem);
  const own = algorithmsOf(key);
  if (own.length === 0) {
    throw new StartupError('JWT_PUBLIC_KEY must be an RSA key or an EC key on P-256, P-384 or P-521.');
  }
  return { key, algorithms: allowed(own) };
}

function algorithmsOf(key: KeyObject): Algorithm[] {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return RSA;
    case 'rsa-pss':
      return RSA_PSS;
    case 'ec': {
      const algorithm = BY_CURVE[key.asymmetricKeyDetails?.namedCurve ?? ''];
      return algorithm === undefined ? [] : [algorithm];
    }
    default:
      return [];
  }
}

function remoteKey(found: SigningKey, allowed: (algorithms: Algorithm[]) => Algorithm[]): VerificationKey {
  const key = createPublicKey(found.getPublicKey());
  // A key that says what it is for serves for that alone.
  const named = (algorithm: Algorithm) => typeof found.alg !== 'string' || found.alg === algorithm;
  return { key, algorithms: allowed(algorithmsOf(key)).filter(named) };
}

function remoteKeys(jwksUri: string, allowed: (algorithms: Algorithm[]) => Algorithm[]): KeyFinder {
  const client = jwksClient({
    jwksUri,
    cache: true,
    cacheMaxAge: JWKS_MAX_AGE_MS,
    rateLimit: true,
    jwksRequestsPerMinute: JWKS_REQUESTS_PER_MINUTE,
    timeout: JWKS_TIMEOUT_MS,
  });
  // The client gives the same object until it asks for the set again.
  const read = new WeakMap<SigningKey, VerificationKey>();
  return async ({ kid }) => {
    try {
      const found = await client.getSigningKey(kid);
      const known = read.get(found) ?? remoteKey(found, allowed);
      read.set(found, known);
      return known;
    } catch (error) {
      if ((error as Error).name === 'SigningKeyNotFoundError') return undefined;
      throw problem('service_unavailable');
    }
  };
}
