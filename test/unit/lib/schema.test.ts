import { expect } from 'chai';
import type { ValidationError } from 'fastest-validator';
import * as t from '../../../lib/schema/fields.ts';
import { queryRulesOf, rulesOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';

const validator = contractValidator();

/** Checks `value` against the fields; gives what is kept, or the names of the fields complained about. */
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
const ID = '0190b8a0-0000-7000-8000-00000000abcd';

/** What is kept of a value is an object; what is complained about is a list of names. */
const bodies: [string, t.Fields, Record<string, unknown>, object][] = [
  ['trims texts, and counts code points', { name: t.text(1, 3) }, { name: '  né👍  ' }, { name: 'né👍' }],
  ['refuses a text that is too long', { name: t.text(1, 2) }, { name: 'né👍' }, ['name']],
  ['refuses a text of blanks', { name: t.text(1, 3) }, { name: '   ' }, ['name']],
  ['refuses a text that PostgreSQL cannot hold', { name: t.text(1, 9) }, { name: 'a\u0000b' }, ['name']],
  ['refuses a text that UTF-8 cannot hold', { name: t.text(1, 9) }, { name: 'a\ud800' }, ['name']],
  ['takes any letter case', words, { type: 'TonTine', currency: 'xaf' }, { type: 'tontine', currency: 'XAF' }],
  ['refuses other words', words, { type: 'club', currency: 'XAU' }, ['type', 'currency']],
  ['reads a malformed id as one that no object has', { id: t.id() }, { id: 'nope' }, { id: t.NO_SUCH_ID }],
  ['takes ids in any letter case', { id: t.id() }, { id: ID.toUpperCase() }, { id: ID }],
  ['refuses an id that is no text', { id: t.id() }, { id: 7 }, ['id']],
  ['never converts types', typed, { amount: '5', hands: '2', on: 20260101 }, ['amount', 'hands', 'on']],
  [
    'refuses 0, fractions, days that do not exist',
    typed,
    { amount: 0, hands: 1.5, on: '2026-02-30' },
    Object.keys(typed),
  ],
  ['refuses what is out of range', typed, { amount: -1, hands: 21, on: 'today' }, ['amount', 'hands', 'on']],
  ['leaves out what is optional', named, { name: 'a' }, { name: 'a', note: undefined }],
  ['refuses what is missing', named, {}, ['name']],
  ['refuses null for an optional member', named, { name: 'a', note: null }, ['note']],
  ['refuses unknown members', named, { name: 'a', admin: true }, ['(object)']],
  ['uses defaults', withDefaults, {}, { hands: 1, type: 'a' }],
  ['refuses null where there is a default', withDefaults, { hands: null, type: null }, ['hands', 'type']],
  ['refuses null for an inner default', { rules: t.object(withDefaults) }, { rules: { hands: null } }, ['rules.hands']],
  [
    'refuses null for an object with a default',
    { rules: t.withDefault(t.object(withDefaults), { hands: 1, type: 'a' }) },
    { rules: null },
    ['rules'],
  ],
  ['checks members and items', nested, { rules: { n: 10 }, ids: [1, 99] }, ['rules.n', 'ids[1]']],
  ['tells objects from lists', nested, { rules: [], ids: {} }, ['rules', 'ids']],
  ['refuses unknown inner members', nested, { rules: { n: 1, m: 2 }, ids: [1] }, ['rules']],
];

describe('contract fields', () => {
  for (const [rule, fields, value, expected] of bodies) {
    it(`in a body: ${rule}`, () => {
      expect(check(fields, value)).to.deep.equal(expected);
    });
  }

  it('in a query: converts numbers', () => {
    const fields = { limit: t.withDefault(t.integer(1, 200), 50) };
    expect(check(fields, { limit: '20' }, queryRulesOf)).to.deep.equal({ limit: 20 });
    expect(check(fields, {}, queryRulesOf)).to.deep.equal({ limit: 50 });
    for (const limit of ['0', '201', 'ten', '', '1.5', '0x10', '1e1', ' 5 ', ['1', '2']]) {
      expect(check(fields, { limit }, queryRulesOf), String(limit)).to.deep.equal(['limit']);
    }
  });

  it('finds what is wrong without repeating what was sent', () => {
    const rules = { $$strict: true, ...rulesOf({ pin: t.text(1, 9) }) };
    const findings = validator.compile(rules)({ pin: 86427531, x: 'secret' });
    expect(findings).to.be.an('array');
    expect(JSON.stringify(findings)).to.not.match(/86427531|secret/);
  });
});
