/** The two kinds of routes: endpoints of the API, which call an action, and open pages below the server's root. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from '../../../lib/contracts/action.ts';
import type { Language } from '../../../lib/language/languages.ts';
import type { Readiness } from './health.ts';
import type { Metrics } from './metrics.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An endpoint of the API, below API_BASE. */
export interface Route {
  method: Method;
  /** Segments that begin with a colon are the members of the contract's `path`. */
  path: string;
  endpoint: Endpoint;
  /** Whether it is answered without a token. */
  open: boolean;
  /** `ndjson`: one transfer a line, streamed. `statement`: JSON, CSV or PDF by `Accept`. All else is one JSON value. */
  answer: 'json' | 'ndjson' | 'statement';
}

/** Whether the gateway reads a body: so it does even if the contract has no fields for it. */
export function takesBody({ method }: Route): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** Whether the route changes something, and so honours an `Idempotency-Key`. */
export function isWrite({ method }: Route): boolean {
  return method !== 'GET';
}

/** Whether answers are pages of a list. */
export function isList({ endpoint: { answer } }: Route): boolean {
  return answer.spec.kind === 'object' && Object.hasOwn(answer.spec.fields, 'next_cursor');
}

/** Whether answers carry an `ETag`: reads of one thing. A page of a list is read once, on the way to the next one. */
export function givesTag(route: Route): boolean {
  return route.method === 'GET' && route.answer === 'json' && !isList(route);
}

/** An open page: no token, no body, GET and HEAD. */
export interface Page {
  /** Segments that begin with a colon are parameters. */
  path: string;
  /** @throws problems, which are answered as everywhere */
  answer: (asked: PageRequest) => PageAnswer | Promise<PageAnswer>;
}

export interface PageRequest {
  /** The values of the path's parameters. */
  parameters: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** By `Accept-Language`. A page that depends on it says so with `Content-Language` and `Vary`. */
  language: Language;
  /** Which of these media types `Accept` prefers; the first one where it prefers none. */
  preferred: (mediaTypes: readonly string[]) => string;
  /** The state of what requests need; checked anew at most twice a second. */
  readiness: () => Promise<Readiness>;
  metrics: Metrics;
}

export interface PageAnswer {
  /** 200 unless given. */
  status?: number;
  /** With its charset. */
  contentType: string;
  body: string | Buffer;
  /** They replace what every answer has: nothing is cached without a `Cache-Control` here. */
  headers?: Record<string, string>;
  /** What a browser may load for the page: nothing unless given. */
  contentSecurityPolicy?: string;
}

/** A page that is one JSON value. */
export function jsonPage(value: unknown, headers: Record<string, string> = {}): PageAnswer {
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(value), headers };
}
