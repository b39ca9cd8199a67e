/** Headers of requests and answers, as components of the document. */
import { API_BASE } from '../../../lib/contracts/api.ts';
import { EXAMPLE } from '../../../lib/contracts/fields.ts';

const TEXT = { type: 'string' } as const;

/** Of requests. Without `example`: the docs page would fill it in, and send the same key each time. */
export const PARAMETERS = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Echoed in the answer and written to our logs. If it is absent, one is made.',
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
      'Makes a repeat safe: the same request with the same key takes effect once and gets the first answer again. ' +
      'Use a new key for each operation, such as a UUID.',
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
    description: 'The `ETag` of an earlier answer: 304 if nothing has changed since then.',
    schema: { ...TEXT, examples: ['"1f7-5c3nP0v3r3y1o0kS0me7h1ng"'] },
  },
} as const;

/** Of answers. */
export const HEADERS = {
  'X-Request-Id': { description: "The request's id: yours, or the one made for it.", schema: TEXT },
  traceparent: { description: 'The trace in which the request was handled.', schema: TEXT },
  'RateLimit-Policy': {
    description: 'How many requests (`q`) a user may make in how many seconds (`w`).',
    schema: TEXT,
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description: 'How many requests are left (`r`), and in how many seconds the count starts again (`t`).',
    schema: TEXT,
    example: '"default";r=598;t=42',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 0 },
    example: 30,
  },
  'WWW-Authenticate': {
    description: 'What is wrong with the token (RFC 6750, section 3).',
    schema: TEXT,
    example: 'Bearer realm="association-service", error="invalid_token"',
  },
  'Content-Language': {
    description: 'The language of the texts; absent for JSON without texts for people.',
    schema: TEXT,
    example: 'en',
  },
  Location: {
    description: 'The path of what the answer is about; if it can be read, `GET` it here.',
    schema: { ...TEXT, format: 'uri-reference' },
    example: `${API_BASE}/associations/${EXAMPLE.association_id}`,
  },
  'Content-Disposition': {
    description: 'The name of the file (RFC 6266), in full as `filename*`; absent for JSON.',
    schema: TEXT,
    example:
      'attachment; filename="statement-njangi-awa-ngono-2026-10-31.pdf"; ' +
      "filename*=UTF-8''Statement%20of%20account%20Njangi%20Awa%20Ngono%202026-10-31.pdf",
  },
  Link: {
    description: 'The next page, `rel="next"` (RFC 8288); absent on the last page.',
    schema: TEXT,
    example: `<${API_BASE}/associations/my?cursor=eyJ2Ijox>; rel="next"`,
  },
  ETag: {
    description: 'Identifies this state of what was read; see `If-None-Match`.',
    schema: TEXT,
    example: '"1f7-5c3nP0v3r3y1o0kS0me7h1ng"',
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the answer to an earlier request with the same key.',
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
