import { errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyOptions } from 'jose';
import { LRUCache } from 'lru-cache';
import type { JwtSettings } from '../../../lib/config/jwt-settings.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Clock } from '../../../lib/node/runtime.ts';
import { bearerToken, callerOf } from '../domain/claims.ts';
import type { KeySet } from './key-set.ts';
import { keyFinder } from './keys.ts';
import type { TokenHeader, VerificationKey } from './keys.ts';

/**
 * Whoever asks asks again: so many tokens are remembered, of up to so many characters, some 10 MB in all. Beyond that
 * the one that came least recently is verified anew.
 */
const REMEMBERED_MAX_TOKENS = 5_000;
const REMEMBERED_MAX_CHARACTERS = 2_048;

/** What a token turned out to say; the key still has to be ours, and the time right, each time that it comes. */
interface Verified {
  header: TokenHeader;
  /** The key that its signature is of; the finder gives this very object for as long as the key holds. */
  key: VerificationKey;
  caller: Caller;
  /** Seconds since 1970: from when it holds, and from when it does no more. */
  begins_s: number;
  ends_s: number;
}

/**
 * Tells who calls, by the `Authorization` header.
 * @throws token_missing, token_invalid, token_expired; service_unavailable while the keys cannot be had
 */
export type TokenVerifier = (authorization: string | undefined) => Promise<Caller>;

/**
 * Verifies access tokens (JWT, RFC 7519) as the settings say; contract, section 1, "auth".
 * @param keySet the keys of JWT_JWKS_URL, where it is set
 */
export function tokenVerifier(settings: JwtSettings, clock: Clock, keySet?: KeySet): TokenVerifier {
  const findKeys = keyFinder(settings, keySet);
  const { issuer, audience } = settings;
  const required: JWTVerifyOptions = {
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  };
  const remembered = new LRUCache<string, Verified>({ max: REMEMBERED_MAX_TOKENS });
  return async (authorization) => {
    const token = bearerToken(authorization);
    if (token === undefined) throw problem('token_missing');
    const known = remembered.get(token);
    const header = known?.header ?? headerOf(token);
    const keys = header === undefined ? [] : await findKeys(header);
    const now_s = Math.floor(clock().getTime() / 1_000);
    const holds = known !== undefined && known.begins_s <= now_s && now_s < known.ends_s;
    if (holds && keys.includes(known.key)) return known.caller;

    const verified = await verify(token, keys, { ...required, currentDate: new Date(now_s * 1_000) });
    const caller = verified === undefined ? undefined : callerOf(verified.claims);
    if (header === undefined || verified === undefined || caller === undefined) throw problem('token_invalid');
    const { key, claims } = verified;
    if (token.length <= REMEMBERED_MAX_CHARACTERS) remembered.set(token, { header, key, caller, ...timesOf(claims) });
    return caller;
  };
}

/** Both are numbers, if there are any: verifying has seen to that. */
function timesOf({ nbf = -Infinity, exp }: JWTPayload): Pick<Verified, 'begins_s' | 'ends_s'> {
  return { begins_s: nbf, ends_s: Number(exp) };
}

/**
 * The claims, and which of the keys the signature is of; undefined if it is of none, or a claim is wrong: why a token is
 * bad helps only those who made it up.
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

/** The token's header, as far as it can be read; nothing in it is trusted yet. */
function headerOf(token: string): TokenHeader | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString());
    if (typeof header !== 'object' || header === null) return undefined;
    const { alg, kid, crit } = header as { alg?: unknown; kid?: unknown; crit?: unknown };
    // Extensions that must be understood are not (RFC 7515, section 4.1.11).
    if (typeof alg !== 'string' || crit !== undefined) return undefined;
    return { alg, kid: typeof kid === 'string' ? kid : undefined };
  } catch {
    return undefined;
  }
}
