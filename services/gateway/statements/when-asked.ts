/**
 * What writes statements, loaded when the first one is asked for. The layout of PDF, the parser of fonts and what unpacks
 * them are the largest part of the gateway's code, for its rarest answer; the formats of dates and numbers bring 7 MB
 * of language data with them.
 */
import type { Statement } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';

/** Writes a statement as CSV; see csv.ts. */
export async function* statementCsv(statement: Statement, language: Language): AsyncGenerator<string> {
  const csv = await import('./csv.ts');
  yield* csv.statementCsv(statement, language);
}

/** Writes a statement as PDF; see pdf/document.ts. */
export async function* statementPdf(statement: Statement, language: Language): AsyncGenerator<Buffer> {
  const pdf = await import('./pdf/document.ts');
  yield* pdf.statementPdf(statement, language);
}
