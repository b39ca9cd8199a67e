import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { callOnAnyNode } from '../../../lib/service/call.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { Statement } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { answerJson, beginStream } from '../http/answer.ts';
import { preferredLanguage } from '../http/head.rules.ts';
import type { EndpointCall, GatewayContext, Request, Response } from '../http/request.ts';
import { statementDisposition } from './file-name.view.ts';
import { statementFormat } from './formats.rules.ts';
import type { FileFormat } from './formats.rules.ts';

type Pieces = AsyncGenerator<string | Buffer>;

/**
 * The writers are loaded when the first statement is asked for: the PDF layout and its fonts are the largest part of
 * the gateway's code, for its rarest answer, and the formats of dates bring 7 MB of language data.
 */
const FILES: Record<
  FileFormat,
  { contentType: string; write: (statement: Statement, language: Language) => Promise<Pieces> }
> = {
  'text/csv': {
    contentType: 'text/csv; charset=utf-8; header=present',
    write: async (...of) => (await import('./csv.view.ts')).statementCsv(...of),
  },
  'application/pdf': {
    contentType: 'application/pdf',
    write: async (...of) => (await import('./pdf/document.ts')).statementPdf(...of),
  },
};

/**
 * Answers with a member's statement as the client accepts it: JSON as the treasury gives it, CSV or PDF written here, in
 * the client's language, and streamed.
 * @throws not_acceptable; the treasury's refusal. A later fault cuts the connection.
 */
export async function answerStatement(
  ctx: GatewayContext,
  call: EndpointCall,
  request: Request,
  response: Response,
): Promise<void> {
  const format = statementFormat(request.headers.accept);
  const language = preferredLanguage(request.headers['accept-language']);
  const statement = (await callOnAnyNode(ctx, treasury.statement.name, call, { reads: true })) as Statement;
  const varying = { Vary: 'Accept, Accept-Language' };
  if (format === 'application/json') {
    answerJson(request, response, 200, statement, varying);
    return;
  }
  const { contentType, write } = FILES[format];
  const content = request.method === 'HEAD' ? [] : await begin(await write(statement, language));
  beginStream(request, response, contentType, {
    ...varying,
    'Content-Language': language,
    'Content-Disposition': statementDisposition(statement, language, format),
  });
  await pipeline(Readable.from(content, { objectMode: false }), response);
}

/** Writes the first piece before anything is sent, so that a fault in writing is still answered with a problem. */
async function begin(pieces: Pieces): Promise<Pieces> {
  const first = await pieces.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* pieces;
  })();
}
