/** Checks requests and answers of the end-to-end tests against the OpenAPI document, and records what was reached. */
import { API_BASE } from '../../lib/contracts/api.ts';
import { api } from './own-document.ts';
import type { Operation } from './api-document.ts';
import { noteOutcome } from './coverage.ts';

/** A request and its answer as they were sent. */
export interface Exchange {
  method: string;
  /** Path and query. */
  target: string;
  /** The body as it was sent. */
  sent: string | undefined;
  status: number;
  headers: Headers;
  received: string;
}

/** Documented headers that not every answer has. */
const SOMETIMES = new Set([
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Link',
  'Idempotency-Replayed',
  'Content-Disposition',
  'Content-Language',
]);

/** Codes for an undocumented path or method. */
const OUTSIDE = ['not_found', 'method_not_allowed', 'rate_limited'];

/**
 * Checks an exchange and records it.
 * @throws Error that names each difference from the document
 */
export function observe(exchange: Exchange): void {
  const complaints = complaintsAbout(exchange);
  if (complaints.length === 0) {
    remember(exchange);
    return;
  }
  const { method, target, status, received } = exchange;
  throw new Error(
    `${method} ${target} gave ${String(status)}, which differs from the document:\n  ${complaints.join('\n  ')}\n${received.slice(0, 2_000)}`,
  );
}

/** A `fetch` whose requests are checked, for clients other than HttpClient. */
export async function observedFetch(request: Request): Promise<Response> {
  const sent = await request.clone().text();
  const answer = await fetch(request);
  const { method, url } = request;
  const { pathname, search } = new URL(url);
  const received = await answer.clone().text();
  observe({ method, target: pathname + search, sent, status: answer.status, headers: answer.headers, received });
  return answer;
}

/** Returns each difference from the document. */
export function complaintsAbout(exchange: Exchange): string[] {
  const { pathname, searchParams } = new URL(exchange.target, 'http://server');
  // Paths outside the API are described in the introduction, not as operations.
  if (!pathname.startsWith(`${API_BASE}/`)) return [];
  const operation = api.operationFor(exchange.method, pathname);
  if (operation === undefined) {
    const code = codeOf(exchange);
    return OUTSIDE.includes(code) ? [] : [`there is no such operation, but the answer is ${code || 'a success'}`];
  }
  const complaints = answerComplaints(operation, exchange);
  if (exchange.status < 300) complaints.push(...requestComplaints(operation, exchange, searchParams));
  return complaints;
}

function requestComplaints(operation: Operation, { sent }: Exchange, query: URLSearchParams): string[] {
  const known = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const unknown = [...query.keys()].filter((name) => !known.includes(name)).map((name) => `parameter ${name}`);
  const body: unknown = sent === undefined || sent === '' ? undefined : JSON.parse(sent);
  return [...unknown, ...api.requestComplaints(operation, body)].map((text) => `request: ${text}`);
}

function answerComplaints(operation: Operation, exchange: Exchange): string[] {
  const { status, headers, received } = exchange;
  const documented = operation.responses[String(status)];
  const faults = api.codesOf(operation).get('default') ?? [];
  if (documented === undefined) {
    return faults.includes(codeOf(exchange)) ? [] : [`status ${String(status)} ${codeOf(exchange)} is not documented`];
  }
  const missing = Object.keys(documented.headers ?? {}).filter((name) => !SOMETIMES.has(name) && !headers.has(name));
  const complaints = missing.map((name) => `there is no header ${name}`);
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (documented.content === undefined) {
    return received === '' ? complaints : [...complaints, 'a body where none is documented'];
  }
  if (exchange.method === 'HEAD') return complaints;
  for (const value of valuesOf(type, received)) {
    complaints.push(...api.answerComplaints(operation, status, type, value).map((text) => `answer: ${text}`));
  }
  return complaints;
}

/** Returns the values that the schema of the media type describes: the JSON value, that of each line, or the text. */
function valuesOf(type: string, received: string): unknown[] {
  if (type === 'application/x-ndjson') return received.split('\n').filter(Boolean).map(parsed);
  return [type.endsWith('json') ? parsed(received) : received];
}

function parsed(text: string): unknown {
  return JSON.parse(text);
}

function codeOf({ headers, received }: Exchange): string {
  if (headers.get('content-type') !== 'application/problem+json' || received === '') return '';
  return (JSON.parse(received) as { code?: string }).code ?? '';
}

function remember(exchange: Exchange): void {
  const operation = api.operationFor(exchange.method, new URL(exchange.target, 'http://server').pathname);
  if (operation !== undefined) noteOutcome(`${operation.id} ${String(exchange.status)} ${codeOf(exchange)}`.trim());
}
