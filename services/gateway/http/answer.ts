/** Writes answers: JSON, pages, streams and problems. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fresh from 'fresh';
import { faultOf } from '../../../lib/errors/fault.ts';
import { entityTag } from '../../../lib/service/preconditions.ts';
import { traceIdOf } from '../../../lib/tracing/trace.ts';
import { kindOf } from './calls-in-flight.ts';
import { preferredLanguage } from './head.rules.ts';
import { problemAnswer, refusalOf } from './problem.rules.ts';
import { ClientGone } from './read-body.ts';
import { pathOf, routeOf, type Request, type Response } from './request.ts';

type Headers = Record<string, string>;

export interface PageAnswer {
  /** The default is 200. */
  status?: number;
  /** Includes the charset. */
  contentType: string;
  body: string | Buffer;
  /** These replace the default headers. Without a `Cache-Control` here the page is not cached. */
  headers?: Headers;
}

/** Smaller answers fit into the buffers of a connection. */
const LARGE_BYTES = 16 * 1024;

/** Returns a page that is one JSON value. */
export function jsonPage(value: unknown, headers: Headers = {}): PageAnswer {
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(value), headers };
}

/** Answers contain amounts and names of people, so no cache may keep them and no browser may render them as a page. */
const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** Answers with a JSON value. A 204 has no body. */
export function answerJson(
  request: Request,
  response: Response,
  status: number,
  value: unknown,
  headers: Headers = {},
): void {
  if (status === 204) begin(request, response, status, headers).end();
  else answerPage(request, response, { ...jsonPage(value, headers), status });
}

/** Answers with the state of one resource and its `ETag`. A GET of a client that already has this state gets a 304. */
export function answerState(
  request: Request,
  response: Response,
  status: number,
  value: unknown,
  headers: Headers = {},
): void {
  const page = jsonPage(value);
  // A 304 refers to a copy that the client keeps, which `no-store` would forbid. `private, no-cache` allows a copy in
  // the client, not in shared caches, and the client must revalidate it.
  const caching = isRead(request) ? { 'Cache-Control': 'private, no-cache' } : {};
  answerPage(request, response, { ...page, status, headers: { ...headers, ...caching, ETag: entityTag(page.body) } });
}

function isRead({ method }: Request): boolean {
  return kindOf(method) === 'read';
}

/** Answers with a page, or with 304 to a client that already has the page of this `ETag` (RFC 9110, section 13.1.2). */
export function answerPage(request: Request, response: Response, page: PageAnswer): void {
  const { status = 200, contentType, body, headers = {} } = page;
  // Only `If-None-Match` is passed on: fetch() also sends `Cache-Control: no-cache`, which `fresh` would obey.
  const condition = { 'if-none-match': request.headers['if-none-match'] };
  if (isRead(request) && headers.ETag !== undefined && fresh(condition, { etag: headers.ETag })) {
    begin(request, response, 304, headers).end();
    return;
  }
  const length = Buffer.byteLength(body);
  const content = { 'Content-Length': String(length), 'Content-Type': contentType };
  begin(request, response, status, { ...content, ...headers });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  if (length >= LARGE_BYTES) request.$calls?.holdUntilSent(response, length);
  // Node sends a string together with the headers in one write, and a buffer in a second write. A string with as many
  // bytes as characters is ASCII: written as Latin-1 it is copied as it is, written as UTF-8 it needs a buffer of three
  // times its size.
  response.end(body, typeof body === 'string' && length === body.length ? 'latin1' : 'utf8');
}

/**
 * Streams an answer as fast as the client reads it. The first piece is made before anything is sent, so an error there
 * is answered with a problem. A later error cuts the connection, so that the client notices that the file is
 * incomplete.
 */
export async function answerStream(
  request: Request,
  response: Response,
  pieces: AsyncGenerator<string | Buffer>,
  headers: Headers,
): Promise<void> {
  const first = await pieces.next();
  begin(request, response, 200, headers);
  const content = async function* () {
    if (first.done === true || request.method === 'HEAD') return;
    yield first.value;
    yield* pieces;
  };
  await pipeline(Readable.from(content(), { objectMode: false }), response);
}

/** Answers with the problem that corresponds to an error. An unexpected error is logged with the ids of the request. */
export function answerError(request: Request, response: Response, error: unknown): void {
  // An answer that has begun can only be cut off. The client then notices that it is incomplete.
  if (response.headersSent || error instanceof ClientGone) {
    response.destroy();
    return;
  }
  const { method, headers: asked, $call: input, $ids } = request;
  const language = preferredLanguage(asked['accept-language']);
  const refusal = refusalOf(error, { method, input, language });
  request.$refusal = refusal.code;
  const request_id = $ids?.request_id ?? '';
  if (refusal.code === 'internal_error') {
    const ids = { request_id, trace_id: traceIdOf($ids?.trace.traceparent) };
    request.$service?.logger.error('request failed', { ...ids, method, route: routeOf(request), ...faultOf(error) });
  }
  const occurrence = { instance: pathOf(request), request_id, language };
  const { status, headers, document } = problemAnswer(refusal, occurrence);
  // The rest of a body that is too large is not read, so the connection cannot be used again.
  if (status === 413) response.shouldKeepAlive = false;
  const contentType = 'application/problem+json';
  answerPage(request, response, { status, contentType, headers, body: JSON.stringify(document) });
}

function begin({ $service }: Request, response: Response, status: number, headers: Headers): Response {
  if ($service?.isStopping === true) response.shouldKeepAlive = false;
  return response.writeHead(status, {
    ...SECURITY_HEADERS,
    ...headers,
    ...joined(response, headers, 'Vary'),
    ...joined(response, headers, 'Link'),
  });
}

/** Returns a list header with the values that every answer to the request has (cors.ts, deprecation.rules.ts) and its own. */
function joined(response: Response, headers: Headers, name: 'Vary' | 'Link'): Headers {
  const values = [response.getHeader(name), headers[name]].filter((value) => value !== undefined);
  return values.length === 0 ? {} : { [name]: values.join(', ') };
}
