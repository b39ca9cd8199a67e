import { createHash } from 'node:crypto';

/** Half of a SHA-256 in hex identifies a user, and cannot be turned back into a name that is not guessed. */
const DIGEST_DIGITS = 32;

/** An id that says who the person is: an e-mail address, a phone number, or a name with a space. */
const PERSONAL = /@|\s|^\+?\d[\d ().-]{5,}$/u;

/**
 * Returns a user's id as it is logged. Some providers use an e-mail address or a phone number as `sub`; of those, the log
 * has a digest, which an operator who knows the id can compute: `printf %s <id> | sha256sum`.
 */
export function loggedUserId(user_id: string): string {
  if (!PERSONAL.test(user_id)) return user_id;
  return `sha256:${createHash('sha256').update(user_id).digest('hex').slice(0, DIGEST_DIGITS)}`;
}
