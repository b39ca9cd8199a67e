import { gzipSync } from 'node:zlib';
import type { Operation } from '../../harness/api-document.ts';
import type { Random } from '../../harness/random.ts';
import { strangeText, strangeValue } from './strange.ts';

export interface Body {
  bytes: Buffer;
  contentType: string;
  /** Further headers. */
  headers: string[];
}

/** A member that no operation has. With it, a body is refused even if all else in it is valid. */
const UNKNOWN = '"no such member":0';

const BODY_MAX_BYTES = 65_536;

const WRONG_TYPES = [
  ...['', 'text/plain', 'text/json', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  ...['application/json; charset=utf-16', 'application/json; charset=latin1', 'application/json; charset=utf-7'],
  ...['application/json/x', ';', 'application/', 'json', 'application/json, text/plain', `a/${'b'.repeat(3_000)}`],
];

/** Returns the members of an example of the operation's body, as JSON texts. */
function exampleOf({ requestBody }: Operation): [name: string, value: string][] {
  const { example, examples } = requestBody?.content['application/json'] ?? {};
  const [first] = Object.values(examples ?? {});
  const value = example ?? (first !== undefined && 'value' in first ? first.value : {});
  return Object.entries(value as object).map(([name, member]) => [name, JSON.stringify(member)]);
}

const written = (members: [string, string][]): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;

/** Returns an example with strange values in place of some members, repeated members, and members that are not its own. */
function nearMiss(random: Random, operation: Operation): string {
  const members = exampleOf(operation)
    .filter(() => random.happens(0.9))
    .map(([name, value]): [string, string] => [name, random.happens(0.4) ? strangeValue(random) : value]);
  for (const name of ['__proto__', 'constructor', 'id', 'role', 'user_id', 'status', strangeText(random)]) {
    if (random.happens(0.1)) members.push([name, strangeValue(random)]);
  }
  const [first] = members;
  if (first !== undefined && random.happens(0.2)) members.push([first[0], strangeValue(random)]);
  return written(members);
}

const nested = (depth: number, [open, close]: readonly [string, string]): string =>
  `{"a":${open.repeat(depth)}0${close.repeat(depth)}}`;

/** Texts that are not JSON objects, or too deep or too large. */
const BROKEN: readonly ((random: Random, text: string) => string | Buffer)[] = [
  (random, text) => text.slice(0, random.below(text.length)),
  (_random, text) => `${text}${text}`,
  (_random, text) => `[${text}]`,
  (random) => random.bytes(1 + random.below(300)),
  (_random, text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  (_random, text) => Buffer.concat([Buffer.from([0xff]), Buffer.from(text)]),
  (_random, text) => Buffer.from(text.replace('{', '{"\xed\xa0\x80":0,'), 'latin1'),
  (random) => nested(33 + random.below(10_000), ['[', ']']),
  (random) => nested(33 + random.below(9_000), ['{"a":', '}']),
  (random) =>
    random.pick(['0', 'null', '"x"', 'NaN', "{'a':1}", '{"a":01}', '{"a":+1}', '{"a":.5}', '{a:1}', '{"a":1,}']),
  (random) => `{"a":${'9'.repeat(BODY_MAX_BYTES + random.below(1_000))}}`,
  (random) =>
    `{${Array.from({ length: 10_000 }, (_, index) => `"${String(index)}":${String(random.below(9))}`).join(',')}}`,
  (_random, text) => `/**/${text}`,
];

/** Returns a body that must be refused, unless the caller has no right to the resource anyway. */
export function strangeBody(random: Random, operation: Operation, isRefusedAnyway: boolean): Body {
  const json = nearMiss(random, operation);
  const refused = json === '{}' ? `{${UNKNOWN}}` : `${json.slice(0, -1)},${UNKNOWN}}`;
  const text = isRefusedAnyway && random.happens(0.6) ? json : refused;
  const plain = { bytes: Buffer.from(text), contentType: 'application/json', headers: [] };
  const kind = random.below(10);
  if (kind < 5) return plain;
  if (kind < 8) return { ...plain, bytes: Buffer.from(random.pick(BROKEN)(random, refused)) };
  if (kind === 8) return { ...plain, contentType: random.pick(WRONG_TYPES) };
  const encoding = random.pick(['gzip', 'deflate', 'br', 'identity, gzip', 'x']);
  return { ...plain, bytes: gzipSync(text), headers: [`Content-Encoding: ${encoding}`] };
}
