/** Headers of requests and answers, as components of the OpenAPI document. */
import type { Deprecation } from '../../../lib/contracts/action.ts';
import { API_BASE } from '../../../lib/contracts/api.ts';
import { EXAMPLE } from '../../../lib/contracts/fields.ts';
import type { JsonSchema } from '../../../lib/schema/json-schema.ts';
import { deprecationHeaders } from '../http/deprecation.rules.ts';

/**
 * Builds a header parameter. It has no `example`: the docs page would send it as the value, and so the same key each
 * time.
 */
function parameter(name: string, description: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'header', description, schema: { type: 'string', ...schema } };
}

/** The headers of requests. */
export const PARAMETERS = {
  RequestId: parameter(
    'X-Request-Id',
    'The id is echoed in the answer and written to the logs. If it is absent, the server generates one.',
    {
      maxLength: 128,
      pattern: '^[\\x21-\\x7e]+$',
      examples: ['7f3c1c1e-order-8841'],
    },
  ),
  Traceparent: parameter('traceparent', 'W3C Trace Context: the trace to which the request belongs.', {
    pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
    examples: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  }),
  AcceptLanguage: parameter('Accept-Language', 'The language of `title` and `detail` in problems: English or French.', {
    examples: ['fr'],
  }),
  FileLanguage: parameter(
    'Accept-Language',
    'The language of the file (CSV, PDF), and of `title` and `detail` in problems: English or French.',
    { examples: ['fr'] },
  ),
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'Makes retries safe: the same request with the same key takes effect once and gets the first answer again. ' +
      'Use a new key for each operation, such as a UUID.',
    {
      minLength: 1,
      maxLength: 255,
      pattern: '^[\\x21-\\x7e]+$',
      examples: ['5d2f8f6e-8c2b-4a35-9f6a-1f0f0f3f7b11'],
    },
  ),
  IfMatch: parameter(
    'If-Match',
    'The `ETag` of an earlier answer, several of them, or `*`: the request takes effect only if the resource is still in such a ' +
      'state, and is refused with `precondition_failed` otherwise.',
    { examples: ['"1f7-5c3nP0v3r3y1o0kS0me7h1ng"'] },
  ),
  IfNoneMatch: parameter('If-None-Match', 'The `ETag` of an earlier answer: 304 if nothing has changed since then.', {
    examples: ['"1f7-5c3nP0v3r3y1o0kS0me7h1ng"'],
  }),
};

function header(description: string, example?: string | number, schema: JsonSchema = {}): JsonSchema {
  return { description, schema: { type: 'string', ...schema }, ...(example === undefined ? {} : { example }) };
}

/** The headers of answers. */
export const HEADERS = {
  'X-Request-Id': header('The id of the request: the one that you sent, or a generated one.'),
  traceparent: header('The trace in which the request was handled.'),
  'RateLimit-Policy': header('A user may send `q` requests in `w` seconds.', '"default";q=600;w=60'),
  RateLimit: header('`r` requests are left. The count starts again in `t` seconds.', '"default";r=598;t=42'),
  'Retry-After': header('Seconds to wait before the next attempt.', 30, { type: 'integer', minimum: 0 }),
  'WWW-Authenticate': header(
    'What is wrong with the token (RFC 6750, section 3).',
    'Bearer realm="association-service", error="invalid_token"',
  ),
  'Content-Language': header('The language of the texts; absent for JSON without human-readable texts.', 'en'),
  Location: header(
    'The path of the resource that the answer describes. If the caller may read it, `GET` returns it.',
    `${API_BASE}/associations/${EXAMPLE.association_id}`,
    { format: 'uri-reference' },
  ),
  'Content-Disposition': header(
    'The name of the file (RFC 6266), in full as `filename*`; absent for JSON.',
    'attachment; filename="statement-njangi-awa-ngono-2026-10-31.pdf"; ' +
      "filename*=UTF-8''Statement%20of%20account%20Njangi%20Awa%20Ngono%202026-10-31.pdf",
  ),
  Link: header(
    'The next page, `rel="next"` (RFC 8288); absent on the last page.',
    `<${API_BASE}/associations/my?cursor=eyJ2Ijox>; rel="next"`,
  ),
  ETag: header(
    'Identifies this state of the resource; see `If-None-Match` and `If-Match`.',
    '"1f7-5c3nP0v3r3y1o0kS0me7h1ng"',
  ),
  'Idempotency-Replayed': header('`true` if this is the answer to an earlier request with the same key.', 'true', {
    const: 'true',
  }),
};

const DEPRECATION_TEXTS: Record<string, string> = {
  Deprecation: 'Since when the operation is deprecated, in Unix time (RFC 9745). Problems have this header too.',
  Sunset: 'When the operation ends (RFC 8594).',
  Link: 'The page that says what to use instead, `rel="deprecation"`; for a list also the next page, `rel="next"`.',
};

/** Returns the headers that announce the end of an operation. They are no components, as their values belong to it. */
export function deprecationHeaderDocs(deprecated: Deprecation | undefined): Record<string, JsonSchema> {
  const headers = Object.entries(deprecationHeaders(deprecated));
  return Object.fromEntries(headers.map(([name, value]) => [name, header(DEPRECATION_TEXTS[name] ?? '', value)]));
}

/** The headers of every answer. */
export const ALWAYS = ['X-Request-Id', 'traceparent', 'RateLimit-Policy', 'RateLimit'] as const;

/** Returns references to these headers. */
export function headerRefs(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns references to these parameters. */
export function parameterRefs(names: readonly (keyof typeof PARAMETERS)[]): { $ref: string }[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
