import { createPublicKey } from 'node:crypto';
import { StartupError } from './startup-error.ts';

/** HMAC with a shared secret. */
export const SYMMETRIC = ['HS256', 'HS384', 'HS512'] as const;
/** What a public key verifies: what `jose` knows, but `none`, since a token that is not signed proves nothing. */
export const ASYMMETRIC = [
  ...(['RS256', 'RS384', 'RS512'] as const),
  ...(['PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512'] as const),
  // Two names of one algorithm (RFC 8037, RFC 9864).
  ...(['EdDSA', 'Ed25519'] as const),
];
export type Algorithm = (typeof SYMMETRIC)[number] | (typeof ASYMMETRIC)[number];

/** How tokens are verified. Without secret, key and JWKS the development secret under DATA_DIR serves. */
export interface JwtSettings {
  secret?: string;
  publicKeyPem?: string;
  jwksUrl?: string;
  algorithms?: Algorithm[];
  issuer?: string;
  audience?: string;
}

/**
 * Reads JWT_*.
 * @throws {StartupError} for an unknown algorithm, one that no configured key fits, a key or URL that is none.
 */
export function readJwtSettings(text: (name: string) => string | undefined): JwtSettings {
  const jwt: JwtSettings = {};
  const secret = text('JWT_SECRET');
  const publicKey = text('JWT_PUBLIC_KEY');
  const jwksUrl = text('JWT_JWKS_URL');
  const issuer = text('JWT_ISSUER');
  const audience = text('JWT_AUDIENCE');
  if (secret !== undefined) jwt.secret = secret;
  if (publicKey !== undefined) jwt.publicKeyPem = readPublicKey(publicKey);
  if (jwksUrl !== undefined) jwt.jwksUrl = readJwksUrl(jwksUrl);
  if (issuer !== undefined) jwt.issuer = issuer;
  if (audience !== undefined) jwt.audience = audience;
  const algorithms = text('JWT_ALGORITHMS');
  if (algorithms !== undefined) jwt.algorithms = readAlgorithms(algorithms, jwt);
  return jwt;
}

function readAlgorithms(list: string, jwt: JwtSettings): Algorithm[] {
  const hasPublicKeys = jwt.publicKeyPem !== undefined || jwt.jwksUrl !== undefined;
  // A public key taken for an HMAC secret would let everyone sign.
  const usable = [
    ...(jwt.secret !== undefined || !hasPublicKeys ? SYMMETRIC : []),
    ...(hasPublicKeys ? ASYMMETRIC : []),
  ];
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unusable = names.filter((name) => !(usable as string[]).includes(name));
  if (names.length === 0 || unusable.length > 0) {
    throw new StartupError(
      `JWT_ALGORITHMS must list some of ${usable.join(', ')}: the keys that are set fit no other.`,
    );
  }
  return names as Algorithm[];
}

/** Takes a PEM whose line breaks were written as `\n`, as variables in files often must. */
function readPublicKey(value: string): string {
  const pem = value.replaceAll('\\n', '\n');
  // Node would make a public key out of a private one, which has no business here.
  if (!pem.includes('PRIVATE KEY')) {
    try {
      createPublicKey(pem);
      return pem;
    } catch {
      // Said below: the reason that OpenSSL gives helps nobody.
    }
  }
  throw new StartupError('JWT_PUBLIC_KEY must be a public key in PEM form (-----BEGIN PUBLIC KEY-----).');
}

function readJwksUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  // fetch() takes no URL with a password, and says so only when it is called.
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username + url.password !== '') {
    throw new StartupError('JWT_JWKS_URL must be an http(s) URL without user and password.');
  }
  return value;
}
