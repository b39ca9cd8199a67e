/** Headers of requests and answers, as components of the document. */
import { API_BASE } from '../../../lib/contracts/api.ts';
import { EXAMPLE } from '../../../lib/contracts/ids.ts';

const TEXT = { type: 'string' } as const;

/** Of requests. No `example` of their own: the page would fill them in, and send the same key each time. */
export const PARAMETERS = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Echoed in the answer and noted in our logs; made where it is absent.',
    schema: { ...TEXT, maxLength: 128, pattern: '^[\\x21-\\x7e]+$', examples: ['7f3c1c1e-order-8841'] },
  },
  Traceparent: {
    name: 'traceparent',
    in: 'header',
    description: 'W3C Trace Context: the trace that the request belongs to.',
    schema: {
      ...TEXT,
      pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
      examples: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    },
  },
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: 'The language of `title` and `detail` in problems: English or French.',
    schema: { ...TEXT, examples: ['fr'] },
  },
  FileLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: 'The language of the file (CSV, PDF), and of `title` and `detail` in problems: English or French.',
    schema: { ...TEXT, examples: ['fr'] },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repeat safe: the same request with the same key gives the first answer again. A fresh one for each ' +
      'operation, such as a UUID.',
    schema: {
      ...TEXT,
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e]+$',
      examples: ['5d2f8f6e-8c2b-4a35-9f6a-1f0f0f3f7b11'],
    },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an earlier answer: 304 if nothing has changed since.',
    schema: { ...TEXT, examples: ['"1f7-5c3nP0v3r3y1o0kS0me7h1ng"'] },
  },
} as const;

/** Of answers. */
export const HEADERS = {
  'X-Request-Id': { description: "The request's id: yours, or the one that we made.", schema: TEXT },
  traceparent: { description: 'The trace in which the request was handled.', schema: TEXT },
  'RateLimit-Policy': {
    description: 'How many requests (`q`) a user has in how many seconds (`w`).',
    schema: TEXT,
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description: 'How many are left (`r`) for how many seconds (`t`).',
    schema: TEXT,
    example: '"default";r=598;t=42',
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 }, example: 30 },
  'WWW-Authenticate': {
    description: 'What the token lacks (RFC 6750, section 3).',
    schema: TEXT,
    example: 'Bearer realm="association-service", error="invalid_token"',
  },
  'Content-Language': {
    description: 'The language of its texts; absent for JSON that has none.',
    schema: TEXT,
    example: 'en',
  },
  Location: {
    description: 'Where what the answer is about lives; what can be read has a `GET` here.',
    schema: { ...TEXT, format: 'uri-reference' },
    example: `${API_BASE}/associations/${EXAMPLE.association_id}`,
  },
  'Content-Disposition': {
    description: 'The name of the file (RFC 6266), as `filename*` in full; absent for JSON.',
    schema: TEXT,
    example:
      'attachment; filename="statement-njangi-awa-ngono-2026-10-31.pdf"; ' +
      "filename*=UTF-8''Statement%20of%20account%20Njangi%20Awa%20Ngono%202026-10-31.pdf",
  },
  Link: {
    description: 'The next page, `rel="next"` (RFC 8288); absent on the last one.',
    schema: TEXT,
    example: `<${API_BASE}/associations/my?cursor=eyJ2Ijox>; rel="next"`,
  },
  ETag: { description: 'Names this state of what was read.', schema: TEXT, example: '"1f7-5c3nP0v3r3y1o0kS0me7h1ng"' },
  'Idempotency-Replayed': {
    description: '`true` if this is the first answer to an earlier request with the same key.',
    schema: { ...TEXT, const: 'true' },
    example: 'true',
  },
} as const;

/** On every answer. */
export const ALWAYS = ['X-Request-Id', 'traceparent', 'RateLimit-Policy', 'RateLimit'] as const;

/** References to the headers of these names. */
export function headerRefs(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** References to the parameters of these names. */
export function parameterRefs(names: readonly (keyof typeof PARAMETERS)[]): { $ref: string }[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
