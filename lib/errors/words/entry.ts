import type { Language } from '../../language/languages.ts';

/** The two texts of a problem (RFC 9457), in one language. */
export interface Words {
  /** Short, the same for every occurrence. */
  title: string;
  /** What the caller can do about it. */
  detail: string;
}

/** One code of the table: its HTTP status, and its texts in every language. */
export type ErrorEntry = { status: number } & Record<Language, Words>;
