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

/** How tokens are verified. Without a secret, key or JWKS, the development secret under DATA_DIR is used. */
export interface JwtSettings {
  secret?: string;
  publicKeyPem?: string;
  jwksUrl?: string;
  algorithms?: Algorithm[];
  issuer?: string;
  audience?: string;
}

/**
 * Returns the algorithms that fit the configured keys. If a public key could be used as an HMAC secret, everyone could sign
 * tokens.
 */
export function usableAlgorithms({ secret, publicKeyPem, jwksUrl }: JwtSettings): readonly Algorithm[] {
  const hasPublicKeys = publicKeyPem !== undefined || jwksUrl !== undefined;
  if (!hasPublicKeys) return SYMMETRIC;
  return secret === undefined ? ASYMMETRIC : [...SYMMETRIC, ...ASYMMETRIC];
}
