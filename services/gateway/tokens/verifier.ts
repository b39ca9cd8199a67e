import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { LRUCache } from 'lru-cache';
import { ASYMMETRIC, SYMMETRIC, tokenType, type JwtSettings } from '../../../lib/config/jwt-settings.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import { USER_ID_MAX_CODE_POINTS } from '../../../lib/contracts/fields.ts';
import { NAME_MAX_CODE_POINTS } from '../../../lib/contracts/membership/members.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Clock } from '../../../lib/node/clock.ts';
import { verifiesTokens } from './fetch-keys.ts';
import type { KeySet } from './key-set.ts';

/** Limits of the cache of verified tokens, which needs at most about 10 MB. Clients send the same token many times. */
const KEPT_MAX_TOKENS = 5_000;
const KEPT_MAX_CHARACTERS = 2_048;

/**
 * The number of keys with which a token without a key id is tried. Each costs a verification; providers without key ids
 * have one or two keys.
 */
const TRIED_MAX_KEYS = 4;

/** The compact form (RFC 7515, section 7.1): three parts in base64url, without padding, which decoders would skip. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** A source of keys for tokens. */
interface Source {
  /** The algorithms that its keys may be used with, regardless of what the token says. */
  algorithms: string[];
  /** The keys of the settings, of which one replaces the other, or of the provider's set. */
  getKeys: readonly JWTVerifyGetKey[];
  /**
   * Returns a value that changes when the keys change.
   * @throws service_unavailable
   */
  current?: () => Promise<unknown>;
}

/**
 * A verified token. Each time the token is sent again, the keys must still be the same and the time must be within its
 * validity.
 */
interface Verified {
  source: Source;
  keys: unknown;
  caller: Caller;
  /** Seconds since 1970. The token is valid from `begins_s` until before `ends_s`. */
  begins_s: number;
  ends_s: number;
}

/**
 * Finds the caller of a request by its `Authorization` header.
 * @throws token_missing, token_invalid, token_expired; service_unavailable while the keys cannot be fetched
 */
export type TokenVerifier = (authorization: string | undefined) => Promise<Caller>;

/**
 * Returns a verifier of access tokens (JWT, RFC 7519).
 * @param keySet the keys of the identity provider, if one is set
 * @throws StartupError for a public key that no supported algorithm uses
 */
export function tokenVerifier(settings: JwtSettings, clock: Clock, keySet?: KeySet): TokenVerifier {
  const sourceFor = tokenSources(settings, keySet);
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
    const source = known?.source ?? sourceFor(token);
    if (source === undefined) throw problem('token_invalid');
    const keys = await source.current?.();
    const now_s = Math.floor(clock().getTime() / 1_000);
    const isInTime = known !== undefined && known.begins_s <= now_s && now_s < known.ends_s;
    if (isInTime && known.keys === keys) return known.caller;

    const { algorithms, getKeys } = source;
    const options = { ...required, algorithms, currentDate: new Date(now_s * 1_000) };
    let claims: JWTPayload | undefined;
    for (const getKey of getKeys) claims ??= await verify(token, getKey, options);
    const caller = claims === undefined ? undefined : callerOf(claims);
    if (claims === undefined || caller === undefined) throw problem('token_invalid');
    // If present, both times are numbers: jwtVerify and callerOf check that.
    const { nbf: begins_s = -Infinity, exp } = claims;
    if (token.length <= KEPT_MAX_CHARACTERS) kept.set(token, { source, keys, caller, begins_s, ends_s: Number(exp) });
    return caller;
  };
}

/**
 * Returns a function that chooses the source of the key of a token. The algorithm in the token only chooses among the
 * sources. Which algorithms a key may be used with depends only on the key and the settings, so a public key never
 * verifies an HMAC, and `none` has no source. Nor has a token of a type that the settings do not accept.
 */
function tokenSources(settings: JwtSettings, keySet?: KeySet): (token: string) => Source | undefined {
  const isSymmetric = (alg: string) => (SYMMETRIC as readonly string[]).includes(alg);
  const symmetric: string[] = settings.algorithms?.filter(isSymmetric) ?? ['HS256'];
  const asymmetric: string[] = (settings.algorithms ?? ASYMMETRIC).filter((alg) => !isSymmetric(alg));
  const { secret, secondSecret, publicKeyPem, secondPublicKeyPem, types } = settings;
  const hmac = sourceOf([secret, secondSecret], (key) => createSecretKey(Buffer.from(key)), symmetric);
  const pem = sourceOf([publicKeyPem, secondPublicKeyPem], publicKey, asymmetric);
  const set = keySet === undefined ? undefined : { ...keySet, getKeys: [keyOf(keySet)], algorithms: asymmetric };
  return (token) => {
    if (!COMPACT.test(token)) return undefined;
    const { alg = 'none', kid, crit, typ } = headerOf(token);
    // No extension that a token may require is supported.
    if (crit !== undefined) return undefined;
    if (types !== undefined && !types.includes(tokenType(typ))) return undefined;
    if (isSymmetric(alg)) return hmac;
    if (!asymmetric.includes(alg)) return undefined;
    return typeof kid === 'string' ? (set ?? pem) : (pem ?? set);
  };
}

/** Returns the source with the keys that are set; undefined if none is. */
function sourceOf(
  texts: readonly (string | undefined)[],
  read: (text: string) => KeyObject,
  algorithms: string[],
): Source | undefined {
  const keys = texts.filter((text) => text !== undefined).map(read);
  return keys.length === 0 ? undefined : { algorithms, getKeys: keys.map((key) => () => key) };
}

/** Finds keys in the set. A key id that is not a string counts as absent: some providers write null. */
function keyOf({ getKey }: KeySet): JWTVerifyGetKey {
  return ({ kid, ...header }, token) => getKey(typeof kid === 'string' ? { kid, ...header } : header, token);
}

/**
 * Reads the key of JWT_PUBLIC_KEY.
 * @throws StartupError for a key that no supported algorithm uses
 */
function publicKey(pem: string): KeyObject {
  const key = createPublicKey(pem);
  if (verifiesTokens(key)) return key;
  throw new StartupError('JWT_PUBLIC_KEY must be an RSA key, an EC key on P-256, P-384 or P-521, or an Ed25519 key.');
}

/** Returns the header of the token, or an empty object if it cannot be read. Nothing in it is trusted yet. */
function headerOf(token: string): ReturnType<typeof decodeProtectedHeader> {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return {};
  }
}

/**
 * Verifies a token. Returns its claims, or undefined if the signature or a claim is invalid. The reason is not given,
 * because it would only help to forge tokens.
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

/** Returns the token of an `Authorization: Bearer …` header, or undefined if there is none. */
function bearerToken(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/**
 * Returns the caller that the claims of a verified token name, or undefined if a required claim is missing or invalid.
 */
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

/** Returns the `name` claim in a form that can be stored. Identity providers put any text there. */
function displayName(claim: unknown): string | null {
  if (typeof claim !== 'string' || !isStorable(claim)) return null;
  const name = Array.from(claim.trim()).slice(0, NAME_MAX_CODE_POINTS).join('');
  return name === '' ? null : name;
}

/** Whether PostgreSQL can store the text: it cannot store U+0000, and a lone surrogate has no UTF-8 form. */
function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
