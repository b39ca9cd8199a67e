/** Cross-origin requests from browsers (the Fetch standard, "HTTP extensions"). */
import type { CorsOrigins } from '../../../lib/config/http-variable-types.ts';
import type { Request, Response } from './request.ts';

/** Request headers that pages may send in addition to the safelisted ones. */
const REQUEST_HEADERS =
  'Authorization, Content-Type, Accept, Accept-Language, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, ' +
  'traceparent';

/** Response headers that pages may read in addition to the safelisted ones. */
const ANSWER_HEADERS =
  'Location, ETag, Link, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, X-Request-Id, ' +
  'Content-Disposition, Content-Language, Deprecation, Sunset';

/** Allowed for paths without a route, so that the page's own request gets the 404. */
const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Browsers keep the answer to a preflight for this time; Chromium for at most 7 200 s. */
const PREFLIGHT_MAX_AGE_S = 600;

export interface Cors {
  /** Lets pages of the allowed origins read the answer, regardless of its status. */
  allow(request: Request, response: Response): void;
  /** Whether this is a preflight from a page of an allowed origin. */
  isPreflight(request: Request): boolean;
  /** Headers of the answer to a request that could not be parsed. */
  readonly unread: Record<string, string>;
}

/**
 * Returns the handling of cross-origin requests.
 * @param origins CORS_ORIGINS
 */
export function crossOrigin(origins: CorsOrigins): Cors {
  const allowedFor = ({ headers: { origin } }: Request): string | undefined => {
    if (origins === 'off') return undefined;
    if (origins === 'any') return '*';
    return origin !== undefined && origins.includes(origin) ? origin : undefined;
  };
  return {
    allow(request, response) {
      // A cache must not serve the answer for one origin to another origin, or to a request without one.
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

/**
 * Returns the headers of the answer to a preflight.
 * @param methods the methods of the path; empty for a path without a route
 */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': (methods.length > 0 ? methods : ALL_METHODS).join(', '),
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_S),
  };
}
