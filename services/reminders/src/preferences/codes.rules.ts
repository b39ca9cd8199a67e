/** The codes with which a person shows that an address is theirs. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { HOUR_MS, MINUTE_MS } from '../times/zones.rules.ts';

/** Long enough for a slow mail, short enough that a forgotten phone does not confirm. */
export const CODE_LIFE_MINUTES = 15;
export const CODE_LIFE_MS = CODE_LIFE_MINUTES * MINUTE_MS;

/** With CODES_OF_USER_MAX codes an hour, guessing one has a chance of 1 in 40 000 in an hour. */
export const WRONG_TRIES_MAX = 5;

const CODE_DIGITS = 6;

/** Codes are counted for this time. */
export const CODES_WINDOW_MS = HOUR_MS;
/** Enough for typing mistakes on both channels. */
export const CODES_OF_USER_MAX = 5;
/** Counted over all users: a stranger must not be flooded by several of them. */
export const CODES_OF_ADDRESS_MAX = 3;

/**
 * Derives a code from its id, so that no code is stored anywhere: a reader of the database cannot confirm addresses, nor find
 * the code by trying all of them.
 */
export function codeOf(key: string, code_id: string): string {
  const hash = createHmac('sha256', key).update(`code ${code_id}`).digest();
  // 48 bits: how often each code comes differs by less than 1 in 10^8.
  return String(hash.readUIntBE(0, 6) % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0');
}

const CODE = new RegExp(`^[0-9]{${String(CODE_DIGITS)}}$`);

/** Returns the digits of a code that a person has typed, with blanks or hyphens anywhere; undefined if no code has this form. */
export function readCode(text: string): string | undefined {
  const digits = text.replace(/[\s-]/g, '');
  return CODE.test(digits) ? digits : undefined;
}

/** Whether a code that a person has typed is the one with this id. */
export function isCode(given: string, key: string, code_id: string): boolean {
  const digits = readCode(given);
  return digits !== undefined && timingSafeEqual(Buffer.from(digits), Buffer.from(codeOf(key, code_id)));
}

/**
 * Returns a value that stands for an address where codes are counted. Letter case and what follows a plus sign do not distinguish
 * mailboxes: otherwise one mailbox could be flooded by codes to its many addresses.
 */
export function addressHash(key: string, address: string): Buffer {
  const mailbox = address.toLowerCase().replace(/^([^+@]+)\+[^@]*@/, '$1@');
  return createHmac('sha256', key).update(`address ${mailbox}`).digest();
}
