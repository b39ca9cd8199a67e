/** Values that have broken parsers and databases. */
import type { Random } from '../../harness/random.ts';

const TEXTS = [
  '',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  '\u202eevil\u202c',
  '\u2066\u2069',
  '\ufeff',
  '\u200b',
  'e\u0301'.repeat(50),
  '\u{10ffff}',
  '\uffff',
  "'; DROP TABLE members; --",
  '%00',
  '%s%n',
  '../../etc/passwd',
  '${7*7}',
  '{{7*7}}',
  '__proto__',
  'constructor',
  '<script>alert(1)</script>',
  '\r\nSet-Cookie: a=b',
  '=1+1',
  '0192f0c0-0000-7000-8000-00000000000g',
  'true',
  'null',
  'NaN',
  '1e400',
  '٣٤٥',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '+275760-09-14T00:00:00Z',
  '9'.repeat(400),
  'x'.repeat(5_000),
];

/** Texts of JSON values, since many cannot be written with JSON.stringify(). */
const LITERALS = [
  ...['null', 'true', 'false', '-0', '0', '-1', '0.1', '1e308', '1e400', '-1e400', '1e-400', '9007199254740993'],
  ...[`1${'0'.repeat(400)}`, `1.${'0'.repeat(2_000)}1`, '1E+2', '1.50', '2147483648', '9223372036854775808'],
  ...['[]', '{}', '[[]]', '[null]', '{"a":{}}', '{"__proto__":{"role":"president"}}', '{"toString":1}'],
  ...['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\u202e"', '{"$gt":""}', '{"constructor":{"prototype":1}}'],
];

export function strangeText(random: Random): string {
  return random.happens(0.8) ? random.pick(TEXTS) : random.bytes(random.below(40)).toString('latin1');
}

/** Returns the text of a JSON value. */
export function strangeValue(random: Random): string {
  return random.happens(0.5) ? random.pick(LITERALS) : JSON.stringify(strangeText(random));
}

const SEGMENTS = [
  ...['..', '.', '%2e%2e', '%2E%2e%2f', '%2f', '%2F%2F', '%5c', '%00', 'a%00b', '%c0%af', '%c1%9c', '%e0%80%af'],
  ...['%f0%80%80%af', '%ff', '%fe%ff', '%', '%2', '%zz', '%u002f', '%25%32%66', '..;', ';a=b', '~', '*', '@', ':', '$'],
  ...[
    '%20',
    '%09',
    '%0d%0a',
    '%0d%0aX:1',
    '%ed%a0%80',
    '%e2%80%ae',
    "'",
    '%22',
    '<>',
    '{id}',
    ':id',
    '%3f',
    '%23',
    '\\',
  ],
  ...['__proto__', 'constructor', 'null', 'undefined', '0', '-1', '1e9', 'x'.repeat(300), '%41'.repeat(500)],
];

/** Returns a segment of a path, without spaces and control characters, which end a request line. */
export function strangeSegment(random: Random): string {
  return random.pick(SEGMENTS);
}
