import type { Statement } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';
import type { StatementFormat } from './formats.ts';
import { STATEMENT_WORDS } from './words.ts';

const ENDINGS: Record<StatementFormat, string> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/pdf': 'pdf',
};

/** Long enough to tell one from another, short enough for every file system. */
const NAME_MAX_CHARACTERS = 40;

/**
 * Under which name a statement is saved: whose it is and until when. Of ASCII letters, digits, `-` and `.` only, so
 * that it needs no encoding in `Content-Disposition` and no quoting in a shell.
 */
export function statementFileName(statement: Statement, language: Language, format: StatementFormat): string {
  const { association, member, from, to, made_at } = statement;
  const parts = [
    STATEMENT_WORDS[language].file,
    asciiName(association.name),
    asciiName(member.display_name ?? member.user_id),
    from ?? '',
    to ?? made_at.slice(0, 'YYYY-MM-DD'.length),
  ];
  return `${parts.filter((part) => part !== '').join('-')}.${ENDINGS[format]}`;
}

/** A name without accents and signs: nothing is left of scripts other than Latin. */
function asciiName(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = letters.replace(/[^a-z0-9]+/g, '-').slice(0, NAME_MAX_CHARACTERS);
  return words.replace(/^-+|-+$/g, '');
}
