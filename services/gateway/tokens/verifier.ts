import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { LRUCache } from 'lru-cache';
import { ASYMMETRIC, SYMMETRIC, type JwtSettings } from '../../../lib/config/jwt-settings.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import { USER_ID_MAX_CODE_POINTS } from '../../../lib/contracts/fields.ts';
import { NAME_MAX_CODE_POINTS } from '../../../lib/contracts/membership/members.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Clock } from '../../../lib/node/runtime.ts';
import { verifiesTokens, type KeySet } from './key-set.ts';

/**
 * Clients send the same token again and again: so many verified tokens are kept, of up to so many characters, some 10 MB
 * in all. Beyond that the one that came least recently is verified again.
 */
const KEPT_MAX_TOKENS = 5_000;
const KEPT_MAX_CHARACTERS = 2_048;

/** A token without a key id is tried with so many keys: each costs a verification. Providers without ids have one or two. */
const TRIED_MAX_KEYS = 4;

/** Where the key of a token comes from. */
interface Source {
  /** What its keys may be used with, whatever the token says. */
  algorithms: string[];
  getKey: JWTVerifyGetKey;
  /** Tells whether the keys are still the same. @throws service_unavailable */
  current?: () => Promise<unknown>;
}

/** What a token says. The keys still have to be the same, and the time right, each time that the token comes. */
interface Verified {
  source: Source;
  keys: unknown;
  caller: Caller;
  /** Seconds since 1970: the token is valid from the first until before the second. */
  begins_s: number;
  ends_s: number;
}

/**
 * Finds the caller of a request by its `Authorization` header.
 * @throws token_missing, token_invalid, token_expired; service_unavailable while the keys cannot be fetched
 */
export type TokenVerifier = (authorization: string | undefined) => Promise<Caller>;

/**
 * Verifies access tokens (JWT, RFC 7519) as the settings say; contract, section 1, "auth".
 * @param keySet the keys of JWT_JWKS_URL, if it is set
 * @throws StartupError for a public key that no algorithm of ours uses
 */
export function tokenVerifier(settings: JwtSettings, clock: Clock, keySet?: KeySet): TokenVerifier {
  const sourceOf = tokenSources(settings, keySet);
  const { issuer, audience } = settings;
  const required: JWTVerifyOptions = {
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  };
  const kept = new LRUCache<string, Verified>({ max: KEPT_MAX_TOKENS });
  return async (authorization) => {
    const token = bearerToken(authorization);
    if (token === undefined) throw problem('token_missing');
    const known = kept.get(token);
    const source = known?.source ?? sourceOf(token);
    if (source === undefined) throw problem('token_invalid');
    const keys = await source.current?.();
    const now_s = Math.floor(clock().getTime() / 1_000);
    const isInTime = known !== undefined && known.begins_s <= now_s && now_s < known.ends_s;
    if (isInTime && known.keys === keys) return known.caller;

    const { algorithms, getKey } = source;
    const claims = await verify(token, getKey, { ...required, algorithms, currentDate: new Date(now_s * 1_000) });
    const caller = claims === undefined ? undefined : callerOf(claims);
    if (claims === undefined || caller === undefined) throw problem('token_invalid');
    // Both times are numbers, if they are there: jwtVerify and callerOf check that.
    const { nbf: begins_s = -Infinity, exp } = claims;
    if (token.length <= KEPT_MAX_CHARACTERS) kept.set(token, { source, keys, caller, begins_s, ends_s: Number(exp) });
    return caller;
  };
}

/**
 * Finds where the key of a token comes from. The token's algorithm only chooses among the sources; which algorithms a
 * key serves is decided by the key and the settings alone, so a public key never verifies an HMAC, and `none` finds no
 * source.
 */
function tokenSources(settings: JwtSettings, keySet?: KeySet): (token: string) => Source | undefined {
  const isSymmetric = (alg: string) => (SYMMETRIC as readonly string[]).includes(alg);
  const symmetric: string[] = settings.algorithms?.filter(isSymmetric) ?? ['HS256'];
  const asymmetric: string[] = (settings.algorithms ?? ASYMMETRIC).filter((alg) => !isSymmetric(alg));
  const only = (key: KeyObject, algorithms: string[]): Source => ({ algorithms, getKey: () => key });
  const { secret, publicKeyPem } = settings;
  const hmac = secret === undefined ? undefined : only(createSecretKey(Buffer.from(secret)), symmetric);
  const pem = publicKeyPem === undefined ? undefined : only(publicKey(publicKeyPem), asymmetric);
  const set = keySet === undefined ? undefined : { ...keySet, algorithms: asymmetric };
  return (token) => {
    const { alg = 'none', kid } = headerOf(token);
    if (isSymmetric(alg)) return hmac;
    if (!asymmetric.includes(alg)) return undefined;
    return kid === undefined ? (pem ?? set) : (set ?? pem);
  };
}

/** The key of JWT_PUBLIC_KEY. @throws StartupError for one that no algorithm of ours uses */
function publicKey(pem: string): KeyObject {
  const key = createPublicKey(pem);
  if (verifiesTokens(key)) return key;
  throw new StartupError('JWT_PUBLIC_KEY must be an RSA key, an EC key on P-256, P-384 or P-521, or an Ed25519 key.');
}

/** The token's header; empty if it cannot be read. Nothing in it is trusted yet. */
function headerOf(token: string): ReturnType<typeof decodeProtectedHeader> {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return {};
  }
}

/**
 * The claims; undefined if no key signed them, or if one is wrong. The reason is not given: it would help only those who
 * forge tokens.
 * @throws token_expired
 */
async function verify(
  token: string,
  getKey: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  try {
    return (await jwtVerify(token, getKey, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw problem('token_expired');
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return undefined;
    let tries = 0;
    for await (const key of error) {
      const claims = await verify(token, () => key, options);
      tries += 1;
      if (claims !== undefined || tries === TRIED_MAX_KEYS) return claims;
    }
    return undefined;
  }
}

/** The token of an `Authorization: Bearer …` header; undefined without one. */
function bearerToken(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/** The caller by the claims of a verified token; undefined if they lack what every token needs. */
function callerOf(claims: Record<string, unknown>): Caller | undefined {
  const { sub, exp, name, scope } = claims;
  if (!Number.isFinite(exp)) return undefined;
  if (typeof sub !== 'string' || !isStorable(sub)) return undefined;
  const code_points = Array.from(sub).length;
  if (code_points < 1 || code_points > USER_ID_MAX_CODE_POINTS) return undefined;
  return {
    user_id: sub,
    name: displayName(name),
    scopes: typeof scope === 'string' ? scope.split(' ').filter((word) => word !== '') : [],
  };
}

/** The name claim, if it can be used: identity providers fill it as they like. */
function displayName(claim: unknown): string | null {
  if (typeof claim !== 'string' || !isStorable(claim)) return null;
  const name = Array.from(claim.trim()).slice(0, NAME_MAX_CODE_POINTS).join('');
  return name === '' ? null : name;
}

/** PostgreSQL's text cannot hold U+0000, and a lone surrogate has no UTF-8 form. */
function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
