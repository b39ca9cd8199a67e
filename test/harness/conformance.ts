/**
 * Holds every request of the end-to-end tests and its answer against the OpenAPI document, and remembers what was
 * reached: each operation, each of its statuses, each of its error codes.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { API_BASE } from '../../lib/contracts/api.ts';
import { openApiDocument } from '../../services/gateway/openapi/document.ts';
import { ROUTES } from '../../services/gateway/routes.ts';
import { ApiDocument } from './api-document.ts';
import type { Operation } from './api-document.ts';

/** A request and its answer as they went over the wire. */
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

export const api = new ApiDocument(openApiDocument(ROUTES));

/** `operation status code`, the code being empty for what is no refusal -> how often. */
const reached = new Map<string, number>();

/** Headers that are documented for an answer but need not be on every one. */
const SOMETIMES = new Set([
  ...['RateLimit', 'RateLimit-Policy', 'Retry-After'],
  ...['Link', 'Idempotency-Replayed', 'Content-Disposition', 'Content-Language'],
]);

/** What an undocumented path or method is answered with. */
const OUTSIDE = ['not_found', 'method_not_allowed', 'rate_limited'];

/**
 * Checks one exchange, and takes note of it.
 * @throws Error naming what is not as documented
 */
export function observe(exchange: Exchange): void {
  const complaints = complaintsAbout(exchange);
  if (complaints.length === 0) {
    remember(exchange);
    return;
  }
  const { method, target, status, received } = exchange;
  throw new Error(
    `${method} ${target} gave ${String(status)}, which is not as documented:\n  ${complaints.join('\n  ')}\n${received.slice(0, 2_000)}`,
  );
}

/** A `fetch` whose requests are held against the document too: for clients that are not HttpClient. */
export async function observedFetch(request: Request): Promise<Response> {
  const sent = await request.clone().text();
  const answer = await fetch(request);
  const { method, url } = request;
  const { pathname, search } = new URL(url);
  const received = await answer.clone().text();
  observe({ method, target: pathname + search, sent, status: answer.status, headers: answer.headers, received });
  return answer;
}

/** What is not as documented. */
export function complaintsAbout(exchange: Exchange): string[] {
  const { pathname, searchParams } = new URL(exchange.target, 'http://server');
  // What lies below the server's root is described in the introduction, not as operations.
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

/** What the schema of the media type is about: a JSON value, each line's, or the text. */
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
  if (operation === undefined) return;
  const key = `${operation.id} ${String(exchange.status)} ${codeOf(exchange)}`.trim();
  reached.set(key, (reached.get(key) ?? 0) + 1);
}

/** Who can ask for what a `Location` names. */
interface Asking {
  readonly origin: string;
  send(method: string, path: string): Promise<{ status: number; text: string }>;
}

/** `operation status` -> a `Location` that was answered with it, and who got it. */
const located = new Map<string, { location: string; asking: Asking }>();
/** Those that have been asked for. */
const followed = new Set<string>();

/** Takes note of an answer's `Location`, one for each operation and status on each server. */
export function rememberLocation(
  method: string,
  pathname: string,
  status: number,
  headers: Headers,
  asking: Asking,
): void {
  const location = headers.get('location');
  const operation = api.operationFor(method, pathname);
  if (location === null || operation === undefined) return;
  located.set(`${operation.id} ${String(status)}`, { location, asking });
}

/**
 * Has everyone who got a `Location` from this server ask for it.
 * @returns what was not answered with 200
 */
export async function followLocations(origin: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const [outcome, { location, asking }] of located) {
    if (asking.origin !== origin) continue;
    const { status, text } = await asking.send('GET', location.slice(API_BASE.length));
    if (status !== 200) wrong.push(`${outcome}: ${location} gave ${String(status)} ${text}`);
    followed.add(outcome);
  }
  return wrong;
}

/** The operations with the statuses whose documented `Location` was never asked for. */
export function unfollowedLocations(): string[] {
  const documented = api.operations.flatMap(({ id, responses }) =>
    Object.entries(responses)
      .filter(([, { headers }]) => headers?.Location !== undefined)
      .map(([status]) => `${id} ${status}`),
  );
  return documented.filter((outcome) => !followed.has(outcome));
}

/** Each operation with its documented statuses and codes as `status` or `status code`, and how often it was reached. */
export function coverage(): { operation: Operation; outcomes: Map<string, number> }[] {
  return api.operations.map((operation) => {
    const codes = api.codesOf(operation);
    const outcomes = Object.keys(operation.responses)
      .filter((status) => status !== 'default')
      .flatMap((status) => codes.get(status)?.map((code) => `${status} ${code}`) ?? [status]);
    return {
      operation,
      outcomes: new Map(outcomes.map((outcome) => [outcome, reached.get(`${operation.id} ${outcome}`) ?? 0])),
    };
  });
}

/** What is documented but was never reached, as `operation status code`. */
export function unreached(): string[] {
  return coverage().flatMap(({ operation, outcomes }) =>
    [...outcomes].filter(([, times]) => times === 0).map(([outcome]) => `${operation.id} ${outcome}`),
  );
}

const FOLDER = join(import.meta.dirname, '..', '..', '.cache', 'conformance');

/** Writes the table of operations and codes, and the list of what was not reached. @returns the folder */
export async function writeCoverage(): Promise<string> {
  await mkdir(FOLDER, { recursive: true });
  const rows = coverage().map(({ operation, outcomes }) => {
    const cells = [...outcomes].map(([outcome, times]) => `${outcome} ×${String(times)}`);
    return `| \`${operation.method} ${operation.path}\` | ${operation.id} | ${cells.join('<br>')} |`;
  });
  const head = '| operation | id | documented outcomes, and how often each was reached |\n| --- | --- | --- |';
  await writeFile(join(FOLDER, 'operations.md'), `${head}\n${rows.join('\n')}\n`);
  await writeFile(join(FOLDER, 'unreached.json'), `${JSON.stringify(unreached(), null, 2)}\n`);
  return FOLDER;
}
