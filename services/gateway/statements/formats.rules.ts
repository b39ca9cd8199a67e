import Negotiator from 'negotiator';
import { problem } from '../../../lib/errors/problem.ts';

/** The formats of a statement; the first one for a client that does not say. */
export const STATEMENT_FORMATS = ['application/json', 'text/csv', 'application/pdf'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];
/** Those that the gateway writes, for people. */
export type FileFormat = Exclude<StatementFormat, 'application/json'>;

/** What clients may accept, and what they get: some name a parameter of what they get anyway. */
const ACCEPTED: ReadonlyMap<string, StatementFormat> = new Map<string, StatementFormat>([
  ...STATEMENT_FORMATS.map((format): [string, StatementFormat] => [format, format]),
  ['application/json; charset=utf-8', 'application/json'],
  ['text/csv; charset=utf-8', 'text/csv'],
  ['text/csv; header=present', 'text/csv'],
  ['text/csv; charset=utf-8; header=present', 'text/csv'],
]);

/**
 * The format that an `Accept` header prefers (RFC 9110, section 12.5.1).
 * @throws not_acceptable with `available`, if it excludes all
 */
export function statementFormat(accept: string | undefined): StatementFormat {
  // An empty header says as little as none.
  const headers = accept === undefined || accept.trim() === '' ? {} : { accept };
  const best = new Negotiator({ headers }).mediaType([...ACCEPTED.keys()]);
  const format = ACCEPTED.get(best ?? '');
  if (format === undefined) throw problem('not_acceptable', { available: STATEMENT_FORMATS });
  return format;
}
