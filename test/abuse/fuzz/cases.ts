/** Makes a request from a seed that must be refused, or at least must not fail. */
import { API_BASE } from '../../../lib/contracts/api.ts';
import type { Operation } from '../../harness/api-document.ts';
import { api } from '../../harness/own-document.ts';
import { strangeBody } from './bodies.ts';
import { createRandom, type Random } from '../../harness/random.ts';
import { strangeSegment, strangeText } from './strange.ts';

/** The callers and objects that requests name. */
export interface Targets {
  /** Tokens of the callers. */
  tokens: readonly string[];
  /** The token of a user who owns the objects. */
  member_token: string;
  /** Whether the callers have no right to the objects, and belong to no association, so that all is refused. */
  isRefused: boolean;
  /** Ids of real objects of others, by the name of the path parameter; others are invented. */
  ids: Readonly<Record<string, string>>;
}

export interface FuzzCase {
  seed: number;
  kind: string;
  bytes: Buffer;
  /** Whether the connection ends before the request is complete. */
  endsEarly: boolean;
  /** The number of answers that the server must send; undefined if it may close the connection earlier. */
  answers: number | undefined;
}

/** Kinds of requests, with how often they occur. */
const KINDS = {
  body: 35,
  query: 12,
  path: 15,
  header: 13,
  manyHeaders: 3,
  framing: 10,
  pipeline: 5,
  cut: 4,
  bytes: 3,
} as const;

type Kind = keyof typeof KINDS;

const drawn = (kinds: readonly Kind[]) => kinds.flatMap((kind) => Array.from({ length: KINDS[kind] }, () => kind));

const DRAWN = drawn(Object.keys(KINDS) as Kind[]);

/** Those whose requests can succeed. */
const DRAWN_OF_MEMBERS = drawn(['body', 'query', 'path', 'header']);

/** Operations whose path names an object of others, so that a stranger is refused whatever they send. */
const OF_OTHERS = api.operations.filter(({ path }) => path.includes('{'));
const WITH_BODY = api.operations.filter(({ requestBody }) => requestBody !== undefined);
const READS = api.operations.filter(({ method, id }) => method === 'GET' && id !== 'pinKeys');

interface Parts {
  method: string;
  target: string;
  headers: string[];
  body?: Buffer;
}

/** Returns the request of a seed. */
export function caseOf(seed: number, targets: Targets): FuzzCase {
  const random = createRandom(seed);
  const kind = random.pick(targets.isRefused ? DRAWN : DRAWN_OF_MEMBERS);
  const made = MAKERS[kind](random, targets);
  return { seed, kind, endsEarly: false, answers: 1, ...made };
}

type Made = Pick<FuzzCase, 'bytes'> & Partial<FuzzCase>;

const MAKERS: Record<Kind, (random: Random, targets: Targets) => Made> = {
  body: (random, targets) => ({ bytes: bytesOf(withBody(random, targets, random.pick(WITH_BODY))) }),
  query(random, targets) {
    const operation = random.pick(READS);
    const parts = plain(random, targets, operation);
    const names = operation.parameters.flatMap(({ name, in: place }) => (place === 'query' ? [name] : []));
    if (targets.isRefused) {
      const target = `${parts.target}?${strangeQuery(random, [...QUERY_NAMES, ...names])}&no_such_parameter=1`;
      return { bytes: bytesOf({ ...parts, target }) };
    }
    const query = names.length === 0 ? '' : `?${strangeQuery(random, names)}`;
    const headers = [...parts.headers, `Accept: ${random.pick(ACCEPTED)}`];
    return { bytes: bytesOf({ ...parts, target: parts.target + query, headers }) };
  },
  path(random, targets) {
    const parts = plain(random, targets, random.pick(OF_OTHERS));
    return { bytes: bytesOf({ ...parts, target: strangePath(random, parts.target) }), answers: undefined };
  },
  header(random, targets) {
    const parts = withBody(random, targets, random.pick(OF_OTHERS));
    const headers = [...parts.headers, ...Array.from({ length: 1 + random.below(4) }, () => strangeHeader(random))];
    return { bytes: bytesOf({ ...parts, headers }), answers: undefined };
  },
  manyHeaders(random, targets) {
    const parts = plain(random, targets, random.pick(OF_OTHERS));
    const count = random.pick([50, 200, 2_500]);
    const size = random.pick([1, 20, 400]);
    const more = Array.from({ length: count }, (_, index) => `X-${String(index % 60)}: ${'v'.repeat(size)}`);
    return { bytes: bytesOf({ ...parts, headers: [...parts.headers, ...more] }), answers: undefined };
  },
  framing: (random, targets) => ({ bytes: strangeFraming(random, targets), endsEarly: true, answers: undefined }),
  pipeline(random, targets) {
    const count = 2 + random.below(15);
    const all = Array.from({ length: count }, (_, index) => {
      const parts = withBody(random, targets, random.pick(WITH_BODY), false);
      return bytesOf(parts, index === count - 1);
    });
    // An answer to a body that is too large closes the connection.
    return { bytes: Buffer.concat(all), answers: undefined };
  },
  cut(random, targets) {
    const bytes = bytesOf(withBody(random, targets, random.pick(WITH_BODY)));
    return { bytes: bytes.subarray(0, 1 + random.below(bytes.length - 1)), endsEarly: true, answers: undefined };
  },
  bytes: (random) => ({ bytes: random.bytes(1 + random.below(600)), endsEarly: true, answers: undefined }),
};

/** Returns a request of a stranger, with valid ids, without a body. */
function plain(random: Random, { tokens, ids }: Targets, { method, path }: Operation): Parts {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const id = ids[name];
    return id !== undefined && random.happens(0.9) ? id : inventedId(random);
  });
  return { method, target: API_BASE + filled, headers: [`Authorization: Bearer ${random.pick(tokens)}`] };
}

function withBody(random: Random, targets: Targets, operation: Operation, mayBeTooLarge = true): Parts {
  const parts = plain(random, targets, operation);
  if (operation.requestBody === undefined) return parts;
  const made = strangeBody(random, operation, !targets.isRefused || operation.path.includes('{'));
  const body = mayBeTooLarge ? made.bytes : made.bytes.subarray(0, 20_000);
  return { ...parts, headers: [...parts.headers, `Content-Type: ${made.contentType}`, ...made.headers], body };
}

function inventedId(random: Random): string {
  const hex = random.bytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function bytesOf({ method, target, headers, body }: Parts, closes = true): Buffer {
  const head = [
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    ...headers,
    ...(body === undefined ? [] : [`Content-Length: ${String(body.length)}`]),
    ...(closes ? ['Connection: close'] : []),
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)]);
}

const QUERY_NAMES = [
  'limit',
  'cursor',
  'from',
  'to',
  'q',
  'status',
  'type',
  'after_seq',
  'limit[]',
  '__proto__',
  '%00',
  '',
  'a b',
];

const ACCEPTED = ['application/json', 'text/csv', 'application/pdf', 'application/x-ndjson', '*/*'];

function strangeQuery(random: Random, names: readonly string[]): string {
  const cursor = () => random.bytes(random.pick([1, 40, 3_000])).toString('base64url');
  const values = [
    cursor,
    () => encodeURIComponent(strangeText(random).toWellFormed().slice(0, 500)),
    () => strangeSegment(random),
    () => random.pick(['1', '200', '2026-01-31', '2026-01-31T00:00:00Z', 'active', 'open', 'paid']),
  ];
  const pairs = Array.from({ length: 1 + random.below(6) }, () => {
    const value = random.pick(values)().replace(/[\s#]/g, '');
    return `${encodeURIComponent(random.pick(names))}=${value}`;
  });
  return pairs.join(random.pick(['&', '&&', '&a&']));
}

/** Replaces or adds segments. Paths without an association or a method that changes something stay refused. */
function strangePath(random: Random, target: string): string {
  const segments = target.split('/');
  const at = segments.length - 1 - random.below(2);
  if (random.happens(0.5)) segments[at] = strangeSegment(random);
  else segments.splice(at, 0, strangeSegment(random));
  const path = segments.join('/');
  const [before, after] = random.pick([
    ['', ''],
    ['', '/'],
    ['http://localhost:1', ''],
    ['/', ''],
    ['', '?'],
    ['/..', ''],
    ['*', ''],
  ]);
  return before + path + after;
}

function strangeHeader(random: Random): string {
  const text = strangeText(random).replace(/[\r\n]/g, '');
  return random.pick([
    `Idempotency-Key: ${text}`,
    `X-Request-Id: ${text}`,
    `traceparent: ${text}`,
    `traceparent: 00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
    `tracestate: ${'a=b,'.repeat(200)}`,
    `Accept: ${text}`,
    `Accept-Language: ${'en;q=0.1,'.repeat(400)}`,
    `Accept-Language: ${text}`,
    `If-None-Match: ${'"a",'.repeat(500)}`,
    `X-Forwarded-For: ${text}`,
    `Origin: ${text}`,
    `Access-Control-Request-Method: ${text}`,
    `Authorization: Bearer ${text}`,
    `authorization: Basic ${text}`,
    `Cookie: ${'a=b;'.repeat(800)}`,
    'Host: other',
    'Expect: 100-continue',
    'Expect: 200-ok',
    'Upgrade: websocket\r\nConnection: Upgrade',
    'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
    'TE: trailers',
    'Trailer: Authorization',
    'Range: bytes=0-0,1-1',
    'X-HTTP-Method-Override: DELETE',
    'X-Original-URL: /metrics',
    'X-A: folded\r\n value',
    'X A: space',
    ': empty name',
    'X-B: nul\0',
    `X-C: ${'c'.repeat(17_000)}`,
    `${'N'.repeat(9_000)}: 1`,
    'X-D: bare\nX-E: line feed',
    'X-F: bare\rcarriage return',
  ]);
}

/** A whole request that succeeds if the server takes it for one of its own. */
const hidden = ({ tokens }: Targets): string =>
  `GET ${API_BASE}/associations/my HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tokens[0]!}\r\n\r\n`;

/**
 * Returns a request whose length is ambiguous, with another one in its body. Its answer may be any refusal, but the request
 * in the body must not be answered.
 */
function strangeFraming(random: Random, targets: Targets): Buffer {
  const inner = hidden(targets);
  const length = String(inner.length);
  const size = `${inner.length.toString(16)}\r\n`;
  const chunk = random.pick([`${size}${inner}\r\n0\r\n\r\n`, `0\r\n\r\n${inner}`, inner]);
  // With this length, the request in the chunk comes next for a server that does not see that there are chunks.
  const ofSize = `Content-Length: ${String(size.length)}`;
  const [headers, body] = random.pick<readonly [string[], string]>([
    [[`Content-Length: ${length}`, 'Transfer-Encoding: chunked'], `0\r\n\r\n${inner}`],
    [['Transfer-Encoding: chunked', `Content-Length: ${length}`], chunk],
    [['Content-Length: 0', `Content-Length: ${length}`], inner],
    [['Transfer-Encoding: xchunked', ofSize], chunk],
    [['Transfer-Encoding : chunked', ofSize], chunk],
    [['Transfer-Encoding:\x0bchunked', ofSize], chunk],
    [[ofSize, 'Transfer-Encoding: chunked'], chunk],
    [[`Content-Length: ${length}`, `Content-Length: ${length}`], inner],
    [[`Content-Length: 0, ${length}`], inner],
    [[`Content-Length: +${length}`], inner],
    [[`Content-Length: 0x${inner.length.toString(16)}`], inner],
    [[`Content-Length: ${length} ${length}`], inner],
    [['Content-Length: -1'], inner],
    [['Content-Length: 99999999999999999999'], inner],
    [[`Content-Length : ${length}`], inner],
    [[`Content-Length:\r\n ${length}`], inner],
    [['Transfer-Encoding: xchunked'], chunk],
    [['Transfer-Encoding: chunked, identity'], chunk],
    [['Transfer-Encoding: identity, chunked, chunked'], chunk],
    [['Transfer-Encoding: identity'], inner],
    [['Transfer-Encoding : chunked'], chunk],
    [['Transfer-Encoding:\x0bchunked'], chunk],
    [['Transfer-Encoding:\r\n chunked'], chunk],
    [['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], chunk],
    [['Transfer-Encoding: chunked'], `0x5\r\nabcde\r\n0\r\n\r\n`],
    [['Transfer-Encoding: chunked'], `-5\r\nabcde\r\n0\r\n\r\n`],
    [['Transfer-Encoding: chunked'], `ffffffffffffffff1\r\nabcde\r\n0\r\n\r\n`],
    [['Transfer-Encoding: chunked'], `5\nabcde\n0\n\n`],
    [['Transfer-Encoding: chunked'], `5;${'x'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`],
    [['Transfer-Encoding: chunked'], `5\r\nabcdeXX0\r\n\r\n`],
    [['Transfer-Encoding: chunked'], `1\r\nx\r\n`.repeat(70_000) + `0\r\n\r\n`],
    [['Transfer-Encoding: chunked'], `0\r\nAuthorization: Bearer x\r\n${'T: t\r\n'.repeat(4_000)}\r\n`],
  ]);
  const parts = plain(random, targets, random.pick(WITH_BODY));
  const all = [...parts.headers, 'Content-Type: application/json', ...headers];
  return Buffer.concat([bytesOf({ ...parts, headers: all }, false), Buffer.from(body, 'latin1')]);
}
