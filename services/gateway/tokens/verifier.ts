import jwt from 'jsonwebtoken';
import type { VerifyOptions } from 'jsonwebtoken';
import type { JwtSettings } from '../../../lib/config/jwt-settings.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Clock } from '../../../lib/runtime/runtime.ts';
import { bearerToken, callerOf } from '../domain/claims.ts';
import { keyFinder } from './keys.ts';
import type { TokenHeader } from './keys.ts';

/**
 * Tells who calls, by the `Authorization` header.
 * @throws token_missing, token_invalid, token_expired; service_unavailable while the keys cannot be had
 */
export type TokenVerifier = (authorization: string | undefined) => Promise<Caller>;

/** Verifies access tokens (JWT, RFC 7519) as the settings say; contract, section 1, "auth". */
export function tokenVerifier(settings: JwtSettings, clock: Clock): TokenVerifier {
  const findKey = keyFinder(settings);
  const { issuer, audience } = settings;
  const required: VerifyOptions = {
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  };
  return async (authorization) => {
    const token = bearerToken(authorization);
    if (token === undefined) throw problem('token_missing');
    const header = headerOf(token);
    const found = header === undefined ? undefined : await findKey(header);
    if (found === undefined || found.algorithms.length === 0) throw problem('token_invalid');
    const clockTimestamp = Math.floor(clock().getTime() / 1_000);
    const caller = callerOf(verified(token, found.key, { ...required, algorithms: found.algorithms, clockTimestamp }));
    if (caller === undefined) throw problem('token_invalid');
    return caller;
  };
}

function verified(token: string, key: jwt.Secret, options: VerifyOptions): Record<string, unknown> {
  try {
    const claims: unknown = jwt.verify(token, key, options);
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : {};
  } catch (error) {
    // Why a token is bad helps only who made it up.
    throw problem((error as Error).name === 'TokenExpiredError' ? 'token_expired' : 'token_invalid');
  }
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
