import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { JWK } from 'jose';
import type { ProviderSettings } from '../../../lib/config/jwt-settings.ts';
import { keySetUrl } from '../../../lib/config/http-variable-types.ts';

/** For discovery and key set together: requests with an unknown key id wait for both. */
const FETCH_TIMEOUT_MS = 3_000;
/** A key set of about a thousand keys with certificates. Providers have a few keys, and a smaller discovery document. */
const ANSWER_MAX_BYTES = 4 * 1_024 * 1_024;
/** Longer than issuers are; what a provider sends is not logged without a limit. */
const SHOWN_MAX_CHARACTERS = 200;

/**
 * Fetches the keys of an identity provider that verify tokens: at least one.
 * @throws Error whose message is the reason, for the log
 */
export async function fetchKeys(provider: ProviderSettings): Promise<JWK[]> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
  const url = 'jwksUrl' in provider ? provider.jwksUrl : await discoverKeySet(provider.issuer, signal);
  const set = (await fetchJson(url, signal)) as { keys?: unknown } | null;
  const listed: unknown[] = Array.isArray(set?.keys) ? set.keys : [];
  const keys = listed.filter(isForTokens);
  // An empty set would lock out every user; a provider that withdraws a key replaces it.
  if (keys.length === 0) throw new Error('no key that verifies tokens');
  return keys;
}

async function discoverKeySet(issuer: string, signal: AbortSignal): Promise<string> {
  // A final slash of the issuer is removed (OpenID Connect Discovery 1.0, section 4.1).
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  return keySetUrlOf(await fetchJson(url, signal), issuer);
}

/**
 * Returns the URL of the key set in a discovery document (OpenID Connect Discovery 1.0, section 4.3).
 * @throws Error if the document is of another issuer, or the URL cannot be used
 */
export function keySetUrlOf(document: unknown, issuer: string): string {
  const { issuer: stated, jwks_uri } = (document ?? {}) as Record<string, unknown>;
  if (stated !== issuer) {
    const shown = String(JSON.stringify(stated)).slice(0, SHOWN_MAX_CHARACTERS);
    throw new Error(`the discovery document is of another issuer: ${shown}`);
  }
  const url = typeof jwks_uri === 'string' ? keySetUrl.parse(jwks_uri) : undefined;
  if (url === undefined) throw new Error('the discovery document has no usable jwks_uri');
  // Keys that are fetched over http could be replaced on the way.
  const isDowngrade = new URL(issuer).protocol === 'https:' && new URL(url).protocol !== 'https:';
  if (isDowngrade) throw new Error('the discovery document of an https issuer has a jwks_uri with http');
  return url;
}

/** @throws Error with the URL, but without its query, and the reason */
async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    return await requestJson(url, signal);
  } catch (error) {
    const { origin, pathname } = new URL(url);
    throw new Error(`${origin}${pathname}: ${reasonOf(error)}`, { cause: error });
  }
}

async function requestJson(url: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    headers: { Accept: 'application/json, application/jwk-set+json' },
    redirect: 'error',
    signal,
  });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new Error(`status ${String(response.status)}`);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > ANSWER_MAX_BYTES) throw new Error(`more than ${String(ANSWER_MAX_BYTES)} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** Returns the cause of a failed fetch, such as ECONNREFUSED. The message `fetch failed` is not specific enough. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? message;
}

/**
 * Whether a key of a set verifies tokens: not if its type is unknown, if it is malformed, or if it is for another use.
 */
function isForTokens(jwk: unknown): jwk is JWK {
  const { use = 'sig', key_ops = ['verify'] } = (jwk ?? {}) as JWK;
  if (use !== 'sig' || !Array.isArray(key_ops) || !key_ops.includes('verify')) return false;
  try {
    return verifiesTokens(createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }));
  } catch {
    return false;
  }
}

/** The curves of ES256, ES384 and ES512 (RFC 7518, section 3.4). */
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];

/** Whether a supported algorithm uses public keys of this type. */
export function verifiesTokens({ asymmetricKeyType: kind, asymmetricKeyDetails: details }: KeyObject): boolean {
  return kind === 'rsa' || kind === 'ed25519' || (kind === 'ec' && CURVES.includes(details?.namedCurve ?? ''));
}
