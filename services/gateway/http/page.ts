import type { IncomingHttpHeaders } from 'node:http';
import type { Language } from '../../../lib/language/languages.ts';
import type { Readiness } from './health.ts';
import type { Metrics } from './metrics.ts';

/** An open page below the server's root: no token, no body, GET and HEAD. */
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
