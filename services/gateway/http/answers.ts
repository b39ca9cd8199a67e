import etag from 'etag';
import fresh from 'fresh';
import type { Logger } from 'moleculer';
import { faultOf } from '../../../lib/node/log.ts';
import { traceIdOf } from '../../../lib/tracing/trace.ts';
import { problemAnswer } from '../domain/problem-document.ts';
import { preferredLanguage } from '../domain/languages.ts';
import { refusalOf } from '../domain/refusals.ts';
import type { Asked } from '../domain/refusals.ts';
import type { PageAnswer } from '../pages/page.ts';
import { pathOf, routeOf } from './exchange.ts';
import type { Request, Response } from './exchange.ts';
import { ClientGone } from './read-body.ts';

/** Answers hold people's money and names: no cache keeps them, no browser takes them for a page. */
const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers with a JSON value, or, for status 204, with nothing. */
export function answerJson(
  request: Request,
  response: Response,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  if (status === 204) {
    begin(request, response, status, headers).end();
    return;
  }
  send(request, response, status, { 'Content-Type': JSON_TYPE, ...headers }, JSON.stringify(value));
}

/**
 * Answers a GET with the state of one thing, under a tag that names this state: who still has it is told so with a 304
 * in place of the body (RFC 9110, section 13.1.2).
 */
export function answerState(
  request: Request,
  response: Response,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(value);
  // `no-store` would forbid the client to keep what a 304 refers to: it may, for itself alone, and has to ask each time.
  const validated = { ...headers, 'Cache-Control': 'private, no-cache', ETag: etag(text) };
  // Node's and browsers' fetch send `Cache-Control: no-cache` with a condition of the caller's; the condition counts.
  if (fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag: validated.ETag })) {
    begin(request, response, 304, validated).end();
    return;
  }
  send(request, response, 200, { 'Content-Type': JSON_TYPE, ...validated }, text);
}

/** Answers with a page. */
export function answerPage(request: Request, response: Response, page: PageAnswer): void {
  const { status = 200, contentType, body, headers = {}, contentSecurityPolicy } = page;
  const policy = contentSecurityPolicy === undefined ? {} : { 'Content-Security-Policy': contentSecurityPolicy };
  send(request, response, status, { 'Content-Type': contentType, ...policy, ...headers }, body);
}

/** Begins a streamed answer. */
export function beginStream(
  request: Request,
  response: Response,
  contentType: string,
  headers: Record<string, string> = {},
): void {
  begin(request, response, 200, { 'Content-Type': contentType, ...headers });
}

/** Answers with the problem that an error means. One that is ours is logged, with the id under which to find it. */
export function answerError(request: Request, response: Response, error: unknown, log: Logger, asked: Asked): void {
  // An answer that has begun can only be cut off, so that the client sees that it is incomplete.
  if (response.headersSent || error instanceof ClientGone) {
    response.destroy();
    return;
  }
  const language = preferredLanguage(request.headers['accept-language']);
  const refusal = refusalOf(error, { ...asked, language });
  const { request_id = '', trace } = request.$arrival ?? {};
  request.$refusal = refusal.code;
  if (refusal.code === 'internal_error') {
    const ids = { request_id, trace_id: traceIdOf(trace?.traceparent) };
    log.error('request failed', { ...ids, method: request.method, route: routeOf(request), ...faultOf(error) });
  }
  const occurrence = { instance: pathOf(request), request_id, language };
  const { status, headers, document } = problemAnswer(refusal, occurrence);
  // What is left of a body that is too large is not read: the connection cannot be used again.
  if (status === 413) response.shouldKeepAlive = false;
  const type = { 'Content-Type': 'application/problem+json' };
  send(request, response, status, { ...type, ...headers }, JSON.stringify(document));
}

function send(
  request: Request,
  response: Response,
  status: number,
  headers: Record<string, string>,
  body: string | Buffer,
): void {
  const length = Buffer.byteLength(body);
  begin(request, response, status, { 'Content-Length': String(length), ...headers });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  // A string leaves with the head in one write; a buffer takes a second one. One with as many bytes as characters is
  // ASCII, which is the same in Latin-1: that is written as it lies in memory, UTF-8 goes through room of three times
  // its size.
  response.end(body, typeof body === 'string' && length === body.length ? 'latin1' : 'utf8');
}

function begin({ $service }: Request, response: Response, status: number, headers: Record<string, string>): Response {
  if ($service?.isStopping === true) response.shouldKeepAlive = false;
  // What every answer varies by was set at its arrival (see cors.ts).
  const varying = [response.getHeader('Vary'), headers.Vary].filter((names) => names !== undefined).join(', ');
  const vary = varying === '' ? {} : { Vary: varying };
  return response.writeHead(status, { ...SECURITY_HEADERS, ...headers, ...vary });
}
