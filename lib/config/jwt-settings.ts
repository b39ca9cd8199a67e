/** HMAC with a shared secret. */
export const SYMMETRIC = ['HS256', 'HS384', 'HS512'] as const;
/** What a public key verifies: what `jose` knows, except `none`, since a token that is not signed proves nothing. */
export const ASYMMETRIC = [
  ...(['RS256', 'RS384', 'RS512'] as const),
  ...(['PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512'] as const),
  // Two names of one algorithm (RFC 8037, RFC 9864).
  ...(['EdDSA', 'Ed25519'] as const),
];
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

/** The algorithms that the configured keys fit. A public key taken for an HMAC secret would let everyone sign. */
export function usableAlgorithms({ secret, publicKeyPem, jwksUrl }: JwtSettings): readonly Algorithm[] {
  const hasPublicKeys = publicKeyPem !== undefined || jwksUrl !== undefined;
  return [...(secret !== undefined || !hasPublicKeys ? SYMMETRIC : []), ...(hasPublicKeys ? ASYMMETRIC : [])];
}
