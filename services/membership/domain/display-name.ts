import { NAME_MAX_CODE_POINTS } from '../../../lib/contracts/membership/members.ts';

/** Control characters (U+0000 among them, which PostgreSQL's text cannot hold) have no place in a name. */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** The display name that a token's `name` gives, made to fit; null if nothing of it is left. */
export function displayNameOf(tokenName: string | null): string | null {
  if (tokenName === null) return null;
  const readable = tokenName.toWellFormed().replace(CONTROL_CHARACTERS, ' ').trim();
  const short = Array.from(readable).slice(0, NAME_MAX_CODE_POINTS).join('').trim();
  return short === '' ? null : short;
}
