import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { preferredLanguage } from '../domain/languages.ts';
import { statementDisposition } from '../statements/file-name.ts';
import { statementFormat } from '../statements/formats.ts';
import { statementCsv, statementPdf } from '../statements/when-asked.ts';
import type { EndpointCall } from './answer-endpoint.ts';
import { answerJson, beginStream } from './answers.ts';
import type { GatewayContext, Request, Response } from './exchange.ts';
import { read } from './read.ts';

/** Statements for people: written by the gateway, streamed. JSON is as the treasury gives it. */
const WRITTEN = {
  'text/csv': { contentType: 'text/csv; charset=utf-8; header=present', write: statementCsv },
  'application/pdf': { contentType: 'application/pdf', write: statementPdf },
} as const;

/**
 * Answers with a member's statement as the client accepts it: JSON, CSV or PDF, the latter two in its language.
 * @throws not_acceptable; what refuses the statement. A later fault cuts the connection.
 */
export async function answerStatement(
  ctx: GatewayContext,
  input: EndpointCall,
  request: Request,
  response: Response,
): Promise<void> {
  const format = statementFormat(request.headers.accept);
  const language = preferredLanguage(request.headers['accept-language']);
  const statement = await read(ctx, treasury.statement, input);
  const varying = { Vary: 'Accept, Accept-Language' };
  if (format === 'application/json') {
    answerJson(request, response, 200, statement, varying);
    return;
  }
  const { contentType, write } = WRITTEN[format];
  const content = request.method === 'HEAD' ? [] : await begun(write(statement, language));
  beginStream(request, response, contentType, {
    ...varying,
    'Content-Language': language,
    'Content-Disposition': statementDisposition(statement, language, format),
  });
  await pipeline(Readable.from(content, { objectMode: false }), response);
}

/** Makes the first piece before anything is sent, so that a fault in writing is still answered as one. */
async function begun(pieces: AsyncGenerator<string | Buffer>): Promise<AsyncGenerator<string | Buffer>> {
  const first = await pieces.next();
  return (async function* () {
    if (first.done === true) return;
    yield first.value;
    yield* pieces;
  })();
}
