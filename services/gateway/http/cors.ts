/** Cross-origin requests from browsers (the Fetch standard, "HTTP extensions"). */
import type { CorsOrigins } from '../../../lib/config/variable-types.ts';
import type { Request, Response } from './request.ts';

/** What pages may send, in addition to what every page may. */
const REQUEST_HEADERS =
  'Authorization, Content-Type, Accept, Accept-Language, Idempotency-Key, If-None-Match, X-Request-Id, traceparent';

/** What pages may read, in addition to what every page may. */
const ANSWER_HEADERS =
  'Location, ETag, Link, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, X-Request-Id, ' +
  'Content-Disposition, Content-Language';

/** For paths without a route: the page's own request is then answered with its 404. */
const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** How long browsers keep a preflight's answer; Chromium keeps none longer than 7 200 s. */
const PREFLIGHT_MAX_AGE_S = 600;

export interface Cors {
  /** Lets pages of the allowed origins read the answer, whatever it will be. */
  allow(request: Request, response: Response): void;
  /** Whether a browser asks what a page of an allowed origin may send. */
  isPreflight(request: Request): boolean;
  /** Headers of the answer to a request that could not be read. */
  readonly unread: Record<string, string>;
}

/** @param origins CORS_ORIGINS */
export function crossOrigin(origins: CorsOrigins): Cors {
  const allowedFor = ({ headers: { origin } }: Request): string | undefined => {
    if (origins === 'off') return undefined;
    if (origins === 'any') return '*';
    return origin !== undefined && origins.includes(origin) ? origin : undefined;
  };
  return {
    allow(request, response) {
      // Caches must not give one origin what was meant for another, nor for none.
      if (Array.isArray(origins)) response.setHeader('Vary', 'Origin');
      const allowed = allowedFor(request);
      if (allowed === undefined) return;
      response.setHeader('Access-Control-Allow-Origin', allowed);
      response.setHeader('Access-Control-Expose-Headers', ANSWER_HEADERS);
    },
    isPreflight(request) {
      const { method, headers } = request;
      if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
      return headers.origin !== undefined && allowedFor(request) !== undefined;
    },
    unread: origins === 'any' ? { 'Access-Control-Allow-Origin': '*' } : {},
  };
}

/** The answer to a preflight. @param methods that the path takes; none for a path without a route */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': (methods.length > 0 ? methods : ALL_METHODS).join(', '),
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_S),
  };
}
