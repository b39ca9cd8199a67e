import { expect } from 'chai';
import type { ValidationError } from 'fastest-validator';
import { complaintsAbout, type Finding } from '../../../lib/schema/complaints.ts';
import * as t from '../../../lib/schema/fields.ts';
import { queryRulesOf, rulesOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';

const validator = contractValidator();

/** Checks `value` against the fields; returns the resulting value, or the names of the wrong fields. */
function check(fields: t.Fields, value: Record<string, unknown>, rules = rulesOf): unknown {
  const result = validator.compile({ $$strict: true, ...rules(fields) })(value) as true | ValidationError[];
  return result === true ? value : result.map((error) => error.field ?? '(object)');
}

const digits = t.integer(1, 9);
const withDefaults = { hands: t.withDefault(t.integer(1, 20), 1), type: t.withDefault(t.enumeration(['a', 'b']), 'a') };
const typed = { amount: t.amount(), hands: t.integer(1, 20), on: t.date() };
const named = { name: t.text(1, 9), note: t.optional(t.text(1, 9)) };
const nested = { rules: t.object({ n: digits }), ids: t.boundedList(digits, 1, 2) };
const words = { type: t.enumeration(['tontine', 'savings']), currency: t.currency() };
const labels = { it: t.texts({ max_members: 3, max_name_code_points: 3, max_code_points: 4 }) };
const ID = '0190b8a0-0000-7000-8000-00000000abcd';

/** The expected result is an object, or a list with the names of the wrong fields. */
const bodies: [string, t.Fields, Record<string, unknown>, object][] = [
  ['trims texts, and counts code points', { name: t.text(1, 3) }, { name: '  né👍  ' }, { name: 'né👍' }],
  ['refuses a text that is too long', { name: t.text(1, 2) }, { name: 'né👍' }, ['name']],
  ['refuses a text that consists of blanks', { name: t.text(1, 3) }, { name: '   ' }, ['name']],
  ['refuses a text that PostgreSQL cannot store', { name: t.text(1, 9) }, { name: 'a\u0000b' }, ['name']],
  ['refuses a text that UTF-8 cannot encode', { name: t.text(1, 9) }, { name: 'a\ud800' }, ['name']],
  [
    'accepts enumerations and currencies in any letter case',
    words,
    { type: 'TonTine', currency: 'xaf' },
    { type: 'tontine', currency: 'XAF' },
  ],
  ['refuses unknown enumeration values and currencies', words, { type: 'club', currency: 'XAU' }, ['type', 'currency']],
  ['reads a malformed id as an id that no object has', { id: t.id() }, { id: 'nope' }, { id: t.NO_SUCH_ID }],
  ['accepts ids in any letter case', { id: t.id() }, { id: ID.toUpperCase() }, { id: ID }],
  ['refuses an id that is not a string', { id: t.id() }, { id: 7 }, ['id']],
  ['never converts types', typed, { amount: '5', hands: '2', on: 20260101 }, ['amount', 'hands', 'on']],
  [
    'refuses an amount of 0, a fraction as integer and a day that does not exist',
    typed,
    { amount: 0, hands: 1.5, on: '2026-02-30' },
    Object.keys(typed),
  ],
  ['refuses values out of range', typed, { amount: -1, hands: 21, on: 'today' }, ['amount', 'hands', 'on']],
  [
    'reads instants with any offset and precision, and days, where both are allowed',
    { at: t.instant(), from: t.dayOrInstant(), to: t.dayOrInstant() },
    { at: '2026-10-01T01:30:00.1239+01:00', from: ' 2026-10-01 ', to: '2026-09-30T20:00:00-04:00' },
    { at: '2026-10-01T00:30:00.123Z', from: '2026-10-01', to: '2026-10-01T00:00:00.000Z' },
  ],
  [
    'refuses other instants and days',
    { at: t.instant(), from: t.dayOrInstant(), to: t.dayOrInstant() },
    { at: '2026-10-01', from: '2026-02-30', to: '2026-02-30T00:00:00Z' },
    ['at', 'from', 'to'],
  ],
  ['accepts a missing optional member', named, { name: 'a' }, { name: 'a', note: undefined }],
  ['refuses a missing required member', named, {}, ['name']],
  ['refuses null for an optional member', named, { name: 'a', note: null }, ['note']],
  ['refuses unknown members', named, { name: 'a', admin: true }, ['(object)']],
  ['sets the defaults of missing members', withDefaults, {}, { hands: 1, type: 'a' }],
  ['refuses null for a member with a default', withDefaults, { hands: null, type: null }, ['hands', 'type']],
  [
    'refuses null for an inner member with a default',
    { rules: t.object(withDefaults) },
    { rules: { hands: null } },
    ['rules.hands'],
  ],
  [
    'refuses null for an object with a default',
    { rules: t.withDefault(t.object(withDefaults), { hands: 1, type: 'a' }) },
    { rules: null },
    ['rules'],
  ],
  ['checks inner members and items', nested, { rules: { n: 10 }, ids: [1, 99] }, ['rules.n', 'ids[1]']],
  ['distinguishes objects and lists', nested, { rules: [], ids: {} }, ['rules', 'ids']],
  [
    'trims texts under free names, takes the names verbatim, and accepts empty texts',
    labels,
    { it: { ' a ': ' né👍\n', '👍👍👍': ' ', 'a.b': 'c' } },
    { it: { ' a ': 'né👍', '👍👍👍': '', 'a.b': 'c' } },
  ],
  ['accepts no texts at all', labels, { it: {} }, { it: {} }],
  ['refuses too many texts', labels, { it: { a: '', b: '', c: '', d: '' } }, ['it']],
  ['refuses unknown inner members', nested, { rules: { n: 1, m: 2 }, ids: [1] }, ['rules']],
];

describe('contract fields', () => {
  for (const [rule, fields, value, expected] of bodies) {
    it(`of a body: the check ${rule}`, () => {
      expect(check(fields, value)).to.deep.equal(expected);
    });
  }

  it('of a query are converted to numbers, and refused if they are not plain integers in range', () => {
    const fields = { limit: t.withDefault(t.integer(1, 200), 50) };
    expect(check(fields, { limit: '20' }, queryRulesOf)).to.deep.equal({ limit: 20 });
    expect(check(fields, {}, queryRulesOf)).to.deep.equal({ limit: 50 });
    for (const limit of ['0', '201', 'ten', '', '1.5', '0x10', '1e1', ' 5 ', ['1', '2']]) {
      expect(check(fields, { limit }, queryRulesOf), String(limit)).to.deep.equal(['limit']);
    }
  });

  it('name each wrong member of free texts, and leave all prototypes as they are', () => {
    const wrong = {
      '': 'too short a name',
      long: 'too long a name',
      'a\n': 'a control character',
      '\u0000': 'what PostgreSQL cannot store',
      '\ud800': 'what UTF-8 cannot encode',
      a: 'too long',
      'a.b': 'a\u0000',
      'c[': 7,
      '~/': null,
    };
    const read = validator.compile({ $$strict: true, ...rulesOf(labels) }) as (value: object) => unknown;
    for (const [name, text] of Object.entries(wrong)) {
      const value = { it: { [name]: text } };
      const pointers = complaintsAbout(read(value) as Finding[], value).map(({ pointer }) => pointer);
      const expected = `/it/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      expect([...new Set(pointers)], JSON.stringify(name)).to.deep.equal([expected]);
    }
    const polluting = JSON.parse('{"it": {"__proto__": {"polluted": "yes"}}}') as Record<string, unknown>;
    expect(check(labels, polluting)).to.deep.equal(['it', 'it']);
    expect(({} as Record<string, unknown>).polluted).to.equal(undefined);
  });

  it('are refused without repeating the values that were sent', () => {
    const rules = { $$strict: true, ...rulesOf({ pin: t.text(1, 9) }) };
    const findings = validator.compile(rules)({ pin: 86427531, x: 'secret' });
    expect(findings).to.be.an('array');
    expect(JSON.stringify(findings)).to.not.match(/86427531|secret/);
  });
});
