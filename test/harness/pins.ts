import { webcrypto } from 'node:crypto';

/** A key of GET /keys/pin. */
export type PublicKey = Record<string, unknown>;

/** Seals a PIN as a client does: RSA-OAEP with SHA-256, in base64. Each call returns a new ciphertext. */
export async function sealPin(jwk: PublicKey, pin: string): Promise<string> {
  const { kty, n, e } = jwk as { kty: string; n: string; e: string };
  const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };
  const key = await webcrypto.subtle.importKey('jwk', { kty, n, e }, algorithm, false, ['encrypt']);
  const sealed = await webcrypto.subtle.encrypt({ name: 'RSA-OAEP' }, key, Buffer.from(pin));
  return Buffer.from(sealed).toString('base64');
}
