/** Cross-origin requests from browsers (the Fetch standard, "HTTP extensions"). */
import type { CorsOrigins } from '../../../lib/config/variable-types.ts';
import type { Request, Response } from './exchange.ts';

/** What pages may send beside what every page may. */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Accept-Language',
  'Idempotency-Key',
  'If-None-Match',
  'X-Request-Id',
  'traceparent',
].join(', ');

/** What pages may read beside what every page may. */
const ANSWER_HEADERS = [
  'Location',
  'ETag',
  'Link',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'Idempotency-Replayed',
  'X-Request-Id',
  'Content-Disposition',
  'Content-Language',
].join(', ');

/** For paths that are not there: the page's own request is to learn of its 404. */
const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** For so long browsers need not ask again; Chromium keeps no answer longer than 7 200 s. */
const PREFLIGHT_MAX_AGE_S = 600;

export interface Cors {
  /** Lets pages of the allowed origins read the answer, whatever it will be. */
  allow(request: Request, response: Response): void;
  /** Whether a browser asks, for a page of an allowed origin, what it may send. */
  isPreflight(request: Request): boolean;
  /** What every answer has though its request could not be read. */
  readonly unread: Record<string, string>;
}

/** @param origins CORS_ORIGINS */
export function cors(origins: CorsOrigins): Cors {
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

/** What a preflight is told. @param methods that the path takes; none where there is no such path */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': (methods.length > 0 ? methods : ALL_METHODS).join(', '),
    'Access-Control-Allow-Headers': REQUEST_HEADERS,
    'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE_S),
  };
}
