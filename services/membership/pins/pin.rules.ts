/**
 * How PINs are stored: HMAC-SHA-256 under a pepper that is not in the database, with a salt for each user.
 *
 * Not a slow hash: a PIN has some 13 bits, so whoever holds both the table and the pepper tries them all whatever one
 * try costs (10 000 tries at 100 ms are 17 minutes), and whoever lacks the pepper gets nowhere with a fast hash either.
 * A slow one would only cost 100 ms of CPU at every payment.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** 128 bits: no two users ever share one. */
export const SALT_BYTES = 16;

export interface StoredPin {
  salt: Buffer;
  hash: Buffer;
}

/** What tells one pepper from another, and gives neither away. */
export function pepperCheck(pepper: string): Buffer {
  return createHmac('sha256', pepper).update('association-service: which pepper this is').digest();
}

/** The keyed hash of a user's PIN. Bound to the user, so that rows cannot be swapped in the database. */
export function hashPin(pepper: string, salt: Buffer, user_id: string, pin: string): Buffer {
  return createHmac('sha256', pepper).update(salt).update(`${user_id}\0${pin}`).digest();
}

/** Whether it is the user's PIN, in a time that does not depend on how much of it is right. */
export function isPin(pepper: string, stored: StoredPin, user_id: string, pin: string): boolean {
  const hash = hashPin(pepper, stored.salt, user_id, pin);
  return hash.length === stored.hash.length && timingSafeEqual(hash, stored.hash);
}
