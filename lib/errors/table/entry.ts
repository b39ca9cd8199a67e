import type { Language } from '../../language/languages.ts';
import type { Fields } from '../../schema/fields.ts';

/** The texts of a problem (RFC 9457): a short title, and a detail that says what the caller can do. */
export interface ProblemTexts {
  title: string;
  detail: string;
}

/** The entry of one code. */
export type ErrorEntry = { status: number } & Record<Language, ProblemTexts> & {
    /** The members that a problem with a code of a further service has in addition; lib/contracts/problem-extras.ts has the others. */
    extras?: Fields;
  };

/** Declares a table of codes. Its type has the codes, and not their texts. */
export function errorTable<Code extends string>(
  table: Readonly<Record<Code, ErrorEntry>>,
): Readonly<Record<Code, ErrorEntry>> {
  return table;
}
