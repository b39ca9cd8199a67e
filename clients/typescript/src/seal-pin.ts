/** A key of GET /keys/pin. */
export interface PinKey {
  kty: string;
  n: string;
  e: string;
  /** When it expires, in seconds since 1970. */
  exp?: number;
}

const OAEP = { name: 'RSA-OAEP', hash: 'SHA-256' } as const;

/**
 * Encrypts a PIN for one operation: RSA-OAEP with SHA-256, in base64. A ciphertext is valid for one request only.
 * @param pin 4 to 12 digits
 * @throws Error in a page loaded over plain http, where browsers have no WebCrypto
 */
export async function sealPin(pin: string, { kty, n, e }: PinKey): Promise<string> {
  if ((crypto.subtle as typeof crypto.subtle | undefined) === undefined) {
    throw new Error('A PIN can be encrypted only in a secure context: open the page over https or from localhost.');
  }
  const key = await crypto.subtle.importKey('jwk', { kty, n, e }, OAEP, false, ['encrypt']);
  const sealed = await crypto.subtle.encrypt({ name: OAEP.name }, key, new TextEncoder().encode(pin));
  return btoa(String.fromCharCode(...new Uint8Array(sealed)));
}
