import { errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyOptions } from 'jose';
import { LRUCache } from 'lru-cache';
import { ASYMMETRIC } from '../../../lib/config/jwt-settings.ts';
import type { JwtSettings } from '../../../lib/config/jwt-settings.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Clock } from '../../../lib/node/runtime.ts';
import { bearerToken, callerOf } from './claims.rules.ts';
import type { KeySet } from './key-set.ts';
import { isSymmetric, publicKeys, secretKeys, serving } from './keys.ts';
import type { TokenHeader, VerificationKey } from './keys.ts';

/**
 * Clients send the same token again and again: so many verified tokens are kept, of up to so many characters, some 10 MB
 * in all. Beyond that the one that came least recently is verified again.
 */
const KEPT_MAX_TOKENS = 5_000;
const KEPT_MAX_CHARACTERS = 2_048;

/** A token without a key id is tried with so many keys: each costs a verification. Providers without ids have one or two. */
const TRIED_MAX_KEYS = 4;

/** What a token says. The key still has to be valid, and the time right, each time that the token comes. */
interface Verified {
  header: TokenHeader;
  /** The key of its signature: the same object for as long as the key is valid. */
  key: VerificationKey;
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
  const findKeys = keyFinder(settings, keySet);
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
    const header = known?.header ?? headerOf(token);
    const keys = header === undefined ? [] : await findKeys(header);
    const now_s = Math.floor(clock().getTime() / 1_000);
    const isValid = known !== undefined && known.begins_s <= now_s && now_s < known.ends_s;
    if (isValid && keys.includes(known.key)) return known.caller;

    const verified = await verify(token, keys, { ...required, currentDate: new Date(now_s * 1_000) });
    const caller = verified === undefined ? undefined : callerOf(verified.claims);
    if (header === undefined || verified === undefined || caller === undefined) throw problem('token_invalid');
    const { key, claims } = verified;
    // Both times are numbers, if they are there: jwtVerify and callerOf check that.
    const { nbf: begins_s = -Infinity, exp } = claims;
    if (token.length <= KEPT_MAX_CHARACTERS) kept.set(token, { header, key, caller, begins_s, ends_s: Number(exp) });
    return caller;
  };
}

/**
 * Finds the keys that a token's signature may be of. The token's algorithm only chooses among the keys; which algorithms
 * a key serves is decided by the key and the settings alone, so a public key never verifies an HMAC, and `none` finds no
 * key.
 */
function keyFinder(settings: JwtSettings, keySet?: KeySet): (header: TokenHeader) => Promise<VerificationKey[]> {
  const [secret, pem] = [secretKeys(settings), publicKeys(settings)];
  const accepted: readonly string[] = settings.algorithms ?? ASYMMETRIC;
  return async (header) => {
    const { alg, kid } = header;
    if (isSymmetric(alg)) return secret;
    if (!accepted.includes(alg)) return [];
    const isOfSet = keySet !== undefined && (kid !== undefined || pem.length === 0);
    return serving(isOfSet ? await keySet.find(header) : pem, alg).slice(0, TRIED_MAX_KEYS);
  };
}

/**
 * The claims, and which of the keys signed them; undefined if none did, or if a claim is wrong. The reason is not
 * given: it would help only those who forge tokens.
 * @throws token_expired
 */
async function verify(
  token: string,
  keys: readonly VerificationKey[],
  options: JWTVerifyOptions,
): Promise<{ key: VerificationKey; claims: JWTPayload } | undefined> {
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key.key, { ...options, algorithms: key.algorithms });
      return { key, claims: payload };
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw problem('token_expired');
    }
  }
  return undefined;
}

/** The token's header, if it can be read; nothing in it is trusted yet. */
function headerOf(token: string): TokenHeader | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString());
    if (typeof header !== 'object' || header === null) return undefined;
    const { alg, kid, crit } = header as { alg?: unknown; kid?: unknown; crit?: unknown };
    // `crit` names extensions that must be understood (RFC 7515, section 4.1.11): none is.
    if (typeof alg !== 'string' || crit !== undefined) return undefined;
    return { alg, kid: typeof kid === 'string' ? kid : undefined };
  } catch {
    return undefined;
  }
}
