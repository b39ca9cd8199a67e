import Negotiator from 'negotiator';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { Statement } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { answerJson, answerStream } from '../http/answer.ts';
import { preferredLanguage } from '../http/head.rules.ts';
import { spendLines } from '../http/long-answers.ts';
import type { Ask, EndpointCall, Request, Response } from '../http/request.ts';
import { statementDisposition } from './file-name.view.ts';

type Pieces = AsyncGenerator<string | Buffer>;

/** The formats of a statement. The first one is the default. */
const FORMATS = ['application/json', 'text/csv', 'application/pdf'] as const;

/**
 * The media types that clients may accept, and the format of each: some clients add a parameter that the format has
 * anyway.
 */
const ACCEPTED: ReadonlyMap<string, (typeof FORMATS)[number]> = new Map([
  ...FORMATS.map((format) => [format, format] as const),
  ['application/json; charset=utf-8', 'application/json'],
  ['text/csv; charset=utf-8', 'text/csv'],
  ['text/csv; header=present', 'text/csv'],
  ['text/csv; charset=utf-8; header=present', 'text/csv'],
]);

/**
 * The files that the gateway writes. Their writers are loaded at the first request for a statement: the PDF layout and
 * its fonts are the largest part of the gateway's code and rarely needed, and the date formats need 7 MB of language
 * data.
 */
const FILES = {
  'text/csv': {
    contentType: 'text/csv; charset=utf-8; header=present',
    extension: 'csv',
    write: async (statement: Statement, language: Language): Promise<Pieces> =>
      (await import('./csv.view.ts')).statementCsv(statement, language),
  },
  'application/pdf': {
    contentType: 'application/pdf',
    extension: 'pdf',
    write: async (statement: Statement, language: Language): Promise<Pieces> =>
      (await import('./pdf/document.ts')).statementPdf(statement, language),
  },
};

/**
 * Returns the format that an `Accept` header prefers (RFC 9110, section 12.5.1).
 * @throws not_acceptable with `available`, if the header excludes all formats
 */
export function statementFormat(accept: string | undefined): (typeof FORMATS)[number] {
  // An empty header is treated like a missing one.
  const headers = accept === undefined || accept.trim() === '' ? {} : { accept };
  const format = ACCEPTED.get(new Negotiator({ headers }).mediaType([...ACCEPTED.keys()]) ?? '');
  if (format === undefined) throw problem('not_acceptable', { available: FORMATS });
  return format;
}

/**
 * Answers with a member's statement in the format that the client accepts: JSON from the treasury, or CSV or PDF
 * written here in the client's language and streamed.
 * @throws not_acceptable; the refusal of the treasury. An error after the first piece cuts the connection.
 */
export async function answerStatement(
  ask: Ask,
  call: EndpointCall,
  request: Request,
  response: Response,
): Promise<void> {
  const format = statementFormat(request.headers.accept);
  const language = preferredLanguage(request.headers['accept-language']);
  const statement = (await ask(treasury.statement.name, call)) as Statement;
  spendLines(request, statement.movements.length);
  const varying = { Vary: 'Accept, Accept-Language' };
  if (format === 'application/json') {
    answerJson(request, response, 200, statement, varying);
    return;
  }
  const { contentType, extension, write } = FILES[format];
  await answerStream(request, response, await write(statement, language), {
    ...varying,
    'Content-Type': contentType,
    'Content-Language': language,
    'Content-Disposition': statementDisposition(statement, language, extension),
  });
}
