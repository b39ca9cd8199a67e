import type { IncomingHttpHeaders } from 'node:http';
import type { Language } from '../../../lib/language/languages.ts';
import type { Readiness } from '../http/health.ts';
import type { Metrics } from '../http/metrics.ts';

/** What a page is asked with. */
export interface PageRequest {
  /** The values of the path's parameters. */
  parameters: Record<string, string>;
  headers: IncomingHttpHeaders;
  /** By `Accept-Language`. A page that depends on it says so with `Content-Language` and `Vary`. */
  language: Language;
  /** Which of these the client likes best by `Accept`; the first one where it likes none. */
  preferred: (mediaTypes: readonly string[]) => string;
  /** Whether everything is there that requests need; asked anew at most twice a second. */
  readiness: () => Promise<Readiness>;
  metrics: Metrics;
}

export interface PageAnswer {
  /** 200 where there is none. */
  status?: number;
  /** With its charset. */
  contentType: string;
  body: string | Buffer;
  /** They replace what every answer has: nothing is cached without a `Cache-Control` here. */
  headers?: Record<string, string>;
  /** What a browser may load for the page: nothing where there is none. */
  contentSecurityPolicy?: string;
}

/** An open page below the server's root (`//` in the contract): no token, no body, GET and HEAD. */
export interface Page {
  /** Segments that begin with a colon are parameters. */
  path: string;
  /** @throws problems, which are answered as everywhere */
  answer: (asked: PageRequest) => PageAnswer | Promise<PageAnswer>;
}

/** A page that is one JSON value. */
export function jsonPage(value: unknown, headers: Record<string, string> = {}): PageAnswer {
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(value), headers };
}
