import type { Readiness } from './health.ts';
import type { Metrics } from './metrics.ts';
import type { Request } from './request.ts';

/** What the health and metrics pages show. */
export interface Measurements {
  /** The state of what requests need; checked anew at most twice a second. */
  readiness: () => Promise<Readiness>;
  metrics: Metrics;
}

/** An open page below the server's root: no token, no body, GET and HEAD. */
export interface Page {
  /** Segments that begin with a colon are parameters. */
  path: string;
  /** @throws problems, which are answered as everywhere */
  answer: (request: Request, measured: Measurements) => PageAnswer | Promise<PageAnswer>;
}

export interface PageAnswer {
  /** 200 unless given. */
  status?: number;
  /** With its charset. */
  contentType: string;
  body: string | Buffer;
  /** They replace what every answer has: without a `Cache-Control` here nothing is cached. */
  headers?: Record<string, string>;
}

/** A page that is one JSON value. */
export function jsonPage(value: unknown, headers: Record<string, string> = {}): PageAnswer {
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(value), headers };
}
