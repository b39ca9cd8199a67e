/** The form of PINs and of the texts that carry them encrypted (contract, section 3, "PIN"). */
import { createHash } from 'node:crypto';

/** 4 to 12 ASCII digits. */
const PIN = /^[0-9]{4,12}$/;

/** base64 (RFC 4648, section 4) or base64url (section 5), with padding or without. */
const BASE64 = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})$/;

/** The plaintext as a PIN; null if it is not one. */
export function readPin(plaintext: Uint8Array): string | null {
  const text = Buffer.from(plaintext).toString('latin1');
  return PIN.test(text) ? text : null;
}

/** The bytes that the text stands for; null if it is neither base64 nor base64url. */
export function decodeSealed(text: string): Buffer | null {
  const match = BASE64.exec(text);
  if (match === null || text.length === 0) return null;
  const padding = match[1]?.length ?? 0;
  const characters = text.length - padding;
  // A lone sixth of a byte, or padding to another length than a multiple of 4, is no base64.
  if (characters % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return null;
  return Buffer.from(text, 'base64');
}

/**
 * What a used ciphertext is remembered by: the SHA-256 of its decoded bytes, so that another spelling of the same
 * bytes is the same ciphertext.
 */
export function digestOf(ciphertext: Buffer): Buffer {
  return createHash('sha256').update(ciphertext).digest();
}
