import { encodeExtended } from 'content-disposition';
import type { Statement } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { STATEMENT_WORDS } from './words.view.ts';

/**
 * The length of each of the two names, so that in most scripts the file name stays below the 255 bytes that file
 * systems allow.
 */
const NAME_MAX_CHARACTERS = 30;

/** Characters that file systems, shells or browsers do not allow in a name, and characters that print nothing. */
const NOT_IN_FILE_NAMES = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|%]+/gu;

/**
 * Returns the header that names the file (RFC 6266) after the association, the member and the days. For old clients it
 * also contains a name in ASCII.
 */
export function statementDisposition(statement: Statement, language: Language, extension: string): string {
  const { association, member, from, to, made_at } = statement;
  const names = [association.name, member.display_name ?? member.user_id];
  const days = [from ?? '', to ?? made_at.slice(0, 'YYYY-MM-DD'.length)];
  return fileDisposition(STATEMENT_WORDS[language], names, days, extension);
}

/** Returns the header that names a file after its kind, names of users, and days. */
export function fileDisposition(
  words: { file: string; title: string },
  names: readonly string[],
  days: readonly string[],
  extension: string,
): string {
  const joined = (parts: string[], separator: string) =>
    `${parts.filter((part) => part !== '').join(separator)}.${extension}`;
  const ascii = joined([words.file, ...names.map(asciiName), ...days], '-');
  const name = joined([words.title, ...names.map(fileName), ...days], ' ');
  return `attachment; filename="${ascii}"; filename*=${encodeExtended(name)}`;
}

/** Returns a name without the characters that a file name cannot contain. */
function fileName(name: string): string {
  const clean = name.toWellFormed().replace(NOT_IN_FILE_NAMES, ' ').replace(/\s+/g, ' ').trim();
  return Array.from(clean).slice(0, NAME_MAX_CHARACTERS).join('').trim();
}

/** Returns a name in lower-case ASCII. A name in another script than Latin becomes empty. */
function asciiName(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  // Words are separated by single hyphens.
  const words = letters.replace(/[^a-z0-9]+/g, '-').slice(0, NAME_MAX_CHARACTERS);
  return words.replace(/^-|-$/g, '');
}
