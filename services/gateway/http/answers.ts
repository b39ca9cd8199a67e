import type { Logger } from 'moleculer';
import { problemAnswer } from '../domain/problem-document.ts';
import { refusalOf } from '../domain/refusals.ts';
import type { Asked } from '../domain/refusals.ts';
import { pathOf } from './exchange.ts';
import type { Request, Response } from './exchange.ts';
import { ClientGone } from './read-body.ts';

/** Answers hold people's money and names: no cache keeps them, no browser takes them for a page. */
const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** Answers with a JSON value, or, for status 204, with nothing. */
export function answerJson(
  request: Request,
  response: Response,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  if (status === 204) {
    endWithAnswer(request, response);
    response.writeHead(status, { ...SECURITY_HEADERS, ...headers }).end();
    return;
  }
  send(request, response, status, 'application/json; charset=utf-8', value, headers);
}

/** Begins a streamed answer. */
export function beginStream(request: Request, response: Response, contentType: string): void {
  endWithAnswer(request, response);
  response.writeHead(200, { ...SECURITY_HEADERS, 'Content-Type': contentType });
}

/** Answers with the problem that an error means. One that is ours is logged, with the id under which to find it. */
export function answerError(request: Request, response: Response, error: unknown, log: Logger, asked: Asked): void {
  // An answer that has begun can only be cut off, so that the client sees that it is incomplete.
  if (response.headersSent || error instanceof ClientGone) {
    response.destroy();
    return;
  }
  const refusal = refusalOf(error, asked);
  const request_id = request.$ctx?.requestID ?? '';
  if (refusal.code === 'internal_error') {
    const { message, stack } = error as Error;
    const { traceparent } = request.$ctx?.meta ?? {};
    log.error('request failed', { request_id, traceparent, method: request.method, message, stack });
  }
  const { status, headers, document } = problemAnswer(refusal, pathOf(request), request_id);
  // What is left of a body that is too large is not read: the connection cannot be used again.
  if (status === 413) response.shouldKeepAlive = false;
  send(request, response, status, 'application/problem+json', document, headers);
}

function send(
  request: Request,
  response: Response,
  status: number,
  contentType: string,
  value: unknown,
  headers: Record<string, string>,
): void {
  endWithAnswer(request, response);
  // A string leaves with the head in one write; a buffer would take a second one.
  const text = JSON.stringify(value);
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

/** Once the server takes no more connections, each of those that are left ends with its answer. */
function endWithAnswer({ $service }: Request, response: Response): void {
  if ($service?.server?.listening === false) response.shouldKeepAlive = false;
}
