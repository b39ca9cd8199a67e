/** The forms of a PIN: digits, encrypted, and hashed for storage. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** 4 to 12 ASCII digits. */
const PIN = /^[0-9]{4,12}$/;

/** base64 (RFC 4648, section 4) or base64url (section 5), with padding or without. */
const BASE64 = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})$/;

/** Returns the plaintext as a PIN; null if it is not 4 to 12 digits. */
export function readPin(plaintext: Uint8Array): string | null {
  const text = Buffer.from(plaintext).toString('latin1');
  return PIN.test(text) ? text : null;
}

/** Decodes base64 or base64url; null for any other text. */
export function decodeSealed(text: string): Buffer | null {
  const match = BASE64.exec(text);
  if (match === null || text.length === 0) return null;
  const padding = match[1]?.length ?? 0;
  const characters = text.length - padding;
  // One character is less than a byte, and padding must fill the last group of 4.
  if (characters % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return null;
  return Buffer.from(text, 'base64');
}

/**
 * Returns the digest under which a used ciphertext is stored: the SHA-256 of its decoded bytes, so that another base64
 * form of the same bytes is the same ciphertext.
 */
export function digestOf(ciphertext: Buffer): Buffer {
  return createHash('sha256').update(ciphertext).digest();
}

/** 128 bits, so that two users practically never have the same salt. */
export const SALT_BYTES = 16;

/** A PIN as the database stores it. */
export interface StoredPin {
  salt: Buffer;
  hash: Buffer;
}

/** A new hash, with what identifies its pepper. */
export interface FreshPin extends StoredPin {
  pepper: Buffer;
}

/**
 * Returns the keyed hash of a user's PIN: HMAC-SHA-256 under a pepper that is not in the database, with a salt for each
 * user. The hash covers the user's id, so that rows cannot be swapped in the database.
 *
 * A slow hash would not help. A PIN of 4 digits has about 13 bits, so an attacker with the table and the pepper can try
 * all PINs anyway (10 000 tries at 100 ms take 17 minutes). Without the pepper a fast hash reveals nothing either. A
 * slow hash would only cost 100 ms of CPU for every payment.
 */
export function hashPin(pepper: string, salt: Buffer, user_id: string, pin: string): Buffer {
  return createHmac('sha256', pepper).update(salt).update(`${user_id}\0${pin}`).digest();
}

/**
 * Finds the pepper with which the stored PIN is hashed, if the PIN is that one.
 * @param peppers the one for new hashes, and another that is accepted while it is replaced
 */
export function pepperOf(
  peppers: readonly string[],
  stored: StoredPin,
  user_id: string,
  pin: string,
): string | undefined {
  // Each is compared, in constant time, so that the time says nothing about the PIN.
  const isRight = peppers.map((pepper) => {
    const hash = hashPin(pepper, stored.salt, user_id, pin);
    return hash.length === stored.hash.length && timingSafeEqual(hash, stored.hash);
  });
  return peppers[isRight.indexOf(true)];
}

/** Hashes a PIN for storage. */
export function freshPin(pepper: string, salt: Buffer, user_id: string, pin: string): FreshPin {
  return { salt, hash: hashPin(pepper, salt, user_id, pin), pepper: pepperCheck(pepper) };
}

/** Returns a value that identifies a pepper without revealing it. */
export function pepperCheck(pepper: string): Buffer {
  return createHmac('sha256', pepper).update('association-service: which pepper this is').digest();
}
