/** The form of PINs (contract, section 3, "PIN"): as digits, encrypted, and as stored. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

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
 * The digest by which a used ciphertext is found: the SHA-256 of its decoded bytes, so that another base64 form of the
 * same bytes is the same ciphertext.
 */
export function digestOf(ciphertext: Buffer): Buffer {
  return createHash('sha256').update(ciphertext).digest();
}

/** 128 bits: no two users have the same. */
export const SALT_BYTES = 16;

export interface StoredPin {
  salt: Buffer;
  hash: Buffer;
}

/**
 * The keyed hash of a user's PIN: HMAC-SHA-256 under a pepper that is not in the database, with a salt for each user.
 * Bound to the user, so that rows cannot be swapped in the database.
 *
 * Not a slow hash: a PIN has some 13 bits, so an attacker with the table and the pepper can try them all anyway (10 000
 * tries at 100 ms are 17 minutes), and without the pepper a fast hash reveals nothing either. A slow one would only cost
 * 100 ms of CPU for every payment.
 */
export function hashPin(pepper: string, salt: Buffer, user_id: string, pin: string): Buffer {
  return createHmac('sha256', pepper).update(salt).update(`${user_id}\0${pin}`).digest();
}

/** Whether it is the user's PIN, in a time that does not depend on how much of it is right. */
export function isPin(pepper: string, stored: StoredPin, user_id: string, pin: string): boolean {
  const hash = hashPin(pepper, stored.salt, user_id, pin);
  return hash.length === stored.hash.length && timingSafeEqual(hash, stored.hash);
}

/** Identifies a pepper without revealing it. */
export function pepperCheck(pepper: string): Buffer {
  return createHmac('sha256', pepper).update('association-service: which pepper this is').digest();
}
