/** HMAC with a shared secret. */
export const SYMMETRIC = ['HS256', 'HS384', 'HS512'] as const;
/** The algorithms of public keys that `jose` supports, and not `none`: a token that is not signed proves nothing. */
export const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  // Two names of one algorithm (RFC 8037, RFC 9864).
  'EdDSA',
  'Ed25519',
] as const;
export type Algorithm = (typeof SYMMETRIC)[number] | (typeof ASYMMETRIC)[number];

/** The `aud` of tokens of OIDC_ISSUER, unless JWT_AUDIENCE says another. */
export const OIDC_AUDIENCE = 'association-service';
/** The `typ` of access tokens (RFC 9068, section 2.1). ID tokens, which are signed with the same keys, have another. */
export const ACCESS_TOKEN_TYPE = 'at+jwt';

/** An identity provider: the URL of its key set, or its issuer, at which discovery finds that URL. */
export type ProviderSettings = { jwksUrl: string } | { issuer: string };

/** How tokens are verified. Without a secret, key or provider, the development secret under DATA_DIR is used. */
export interface JwtSettings {
  secret?: string;
  publicKeyPem?: string;
  /** Accepted too, while `secret` or `publicKeyPem` is replaced. */
  secondSecret?: string;
  secondPublicKeyPem?: string;
  provider?: ProviderSettings;
  algorithms?: Algorithm[];
  issuer?: string;
  audience?: string;
  /** The accepted `typ`, in the form of `tokenType()`. */
  types?: string[];
}

/**
 * Returns a `typ` in the form in which types are compared: lower case, without `application/` (RFC 7515, section 4.1.9).
 * A token without `typ` counts as `JWT`; a `typ` that is not a string has no type.
 */
export function tokenType(typ: unknown = 'JWT'): string {
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
}

/**
 * Returns the algorithms that fit the configured keys. If a public key could be used as an HMAC secret, everyone could sign
 * tokens.
 */
export function usableAlgorithms({ secret, publicKeyPem, provider }: JwtSettings): readonly Algorithm[] {
  const hasPublicKeys = publicKeyPem !== undefined || provider !== undefined;
  if (!hasPublicKeys) return SYMMETRIC;
  return secret === undefined ? ASYMMETRIC : [...SYMMETRIC, ...ASYMMETRIC];
}
