/**
 * The RSA keys with which clients encrypt PINs: RSA-OAEP with SHA-256 for hash and MGF1 (docs/adr/0005-pins.md). These
 * functions are pure: key-file.ts generates, reads and stores keys.
 */

/** The smallest size that NIST SP 800-131A accepts. With larger keys, decryption costs several times as much. */
export const MODULUS_MIN_BITS = 2048;

/** A quarter of a year: it limits how long a leaked private key can be used if the leak is not noticed. */
export const KEY_LIFE_MS = 90 * 86_400_000;

/** How long the older keys are accepted after a rotation: clients keep a fetched key for days. */
export const OVERLAP_MS = 7 * 86_400_000;

/** The keys of a development machine are renewed when the newest expires within this time. */
export const RENEW_BEFORE_MS = 14 * 86_400_000;

/** A private RSA key as a JWK (RFC 7517, RFC 7518), with its creation time. */
export interface PinKey {
  kty: 'RSA';
  n: string;
  e: string;
  d: string;
  p: string;
  q: string;
  dp: string;
  dq: string;
  qi: string;
  kid: string;
  use: 'enc';
  alg: 'RSA-OAEP-256';
  /** When the key was created, a NumericDate (seconds). */
  created: number;
  /** Until when ciphertexts are accepted, a NumericDate (seconds). */
  exp: number;
}

/** The part of a key that clients see. */
export type PublicPinKey = Pick<PinKey, 'kty' | 'n' | 'e' | 'kid' | 'use' | 'alg' | 'exp'>;

/** Returns the part of a key that clients may see. */
export function publicPart({ kty, n, e, kid, use, alg, exp }: PinKey): PublicPinKey {
  return { kty, n, e, kid, use, alg, exp };
}

/** Returns the keys whose ciphertexts are accepted now, the newest first. */
export function liveKeys<K extends Pick<PinKey, 'created' | 'exp'>>(keys: readonly K[], now: Date): K[] {
  return keys.filter((key) => now.getTime() < key.exp * 1_000).toSorted((a, b) => b.created - a.created);
}

/** Returns the bits of the modulus, whose base64url form has no leading zeros (RFC 7518, section 6.3.1.1). */
export function modulusBits(key: Pick<PinKey, 'n'>): number {
  const bytes = Buffer.from(key.n, 'base64url');
  const first = bytes[0] ?? 0;
  return bytes.length * 8 - (Math.clz32(first) - 24);
}

/**
 * Returns the set after a rotation: `fresh` comes first, older keys are accepted for at most `overlap_ms` more, and expired
 * keys are dropped.
 */
export function rotate(keys: readonly PinKey[], fresh: PinKey, now: Date, overlap_ms: number): PinKey[] {
  const lastSecond = toNumericDate(new Date(now.getTime() + overlap_ms));
  const older = keys.map((key) => ({ ...key, exp: Math.min(key.exp, lastSecond) }));
  return [fresh, ...liveKeys(older, now)];
}

/** Whether the newest key expires soon. */
export function needsRenewal(keys: readonly PinKey[], now: Date): boolean {
  const [newest] = liveKeys(keys, now);
  return newest === undefined || newest.exp * 1_000 - now.getTime() < RENEW_BEFORE_MS;
}

/** Returns an instant in whole seconds since 1970, rounded down (RFC 7519). */
export function toNumericDate(instant: Date): number {
  return Math.floor(instant.getTime() / 1_000);
}
