import { expect } from 'chai';
import type { ValidationError } from 'fastest-validator';
import {
  amount,
  boundedList,
  currency,
  date,
  defaulting,
  enumeration,
  id,
  integer,
  NO_SUCH_ID,
  object,
  optional,
  text,
} from '../../../lib/schema/fields.ts';
import type { Fields } from '../../../lib/schema/fields.ts';
import { queryRulesOf, rulesOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';

const validator = contractValidator();

/** Checks `value` against the fields; gives what is kept, or the names of the fields complained about. */
function check(fields: Fields, value: Record<string, unknown>, rules = rulesOf): unknown {
  const result = validator.compile({ $$strict: true, ...rules(fields) })(value) as true | ValidationError[];
  return result === true ? value : result.map((error) => error.field ?? '(object)');
}

describe('contract fields', () => {
  it('trims texts and counts their code points', () => {
    expect(check({ name: text(1, 3) }, { name: '  né👍  ' })).to.deep.equal({ name: 'né👍' });
    expect(check({ name: text(1, 2) }, { name: 'né👍' })).to.deep.equal(['name']);
    expect(check({ name: text(1, 3) }, { name: '   ' })).to.deep.equal(['name']);
  });

  it('refuses texts that PostgreSQL or UTF-8 cannot hold', () => {
    expect(check({ name: text(1, 9) }, { name: 'a\u0000b' })).to.deep.equal(['name']);
    expect(check({ name: text(1, 9) }, { name: 'a\ud800' })).to.deep.equal(['name']);
  });

  it('takes enumerations and currencies in any letter case', () => {
    const fields = { type: enumeration(['tontine', 'savings']), currency: currency() };
    expect(check(fields, { type: 'TonTine', currency: 'xaf' })).to.deep.equal({ type: 'tontine', currency: 'XAF' });
    expect(check(fields, { type: 'club', currency: 'XAU' })).to.deep.equal(['type', 'currency']);
  });

  it('reads an ill-formed id as one that names nothing', () => {
    expect(check({ id: id() }, { id: 'nope' })).to.deep.equal({ id: NO_SUCH_ID });
    expect(check({ id: id() }, { id: '0190B8A0-0000-7000-8000-00000000ABCD' })).to.deep.equal({
      id: '0190b8a0-0000-7000-8000-00000000abcd',
    });
    expect(check({ id: id() }, { id: 7 })).to.deep.equal(['id']);
  });

  it('never converts types in a body', () => {
    const fields = { amount: amount(), hands: integer(1, 20), on: date() };
    expect(check(fields, { amount: '5', hands: '2', on: 20260101 })).to.deep.equal(['amount', 'hands', 'on']);
    expect(check(fields, { amount: 0, hands: 1.5, on: '2026-02-30' })).to.deep.equal(['amount', 'hands', 'on']);
    expect(check(fields, { amount: -1, hands: 21, on: 'today' })).to.deep.equal(['amount', 'hands', 'on']);
  });

  it('converts numbers in a query', () => {
    const fields = { limit: defaulting(integer(1, 200), 50) };
    expect(check(fields, { limit: '20' }, queryRulesOf)).to.deep.equal({ limit: 20 });
    expect(check(fields, {}, queryRulesOf)).to.deep.equal({ limit: 50 });
    for (const limit of ['0', '201', 'ten', '', '1.5', '0x10', '1e1', ' 5 ', ['1', '2']]) {
      expect(check(fields, { limit }, queryRulesOf), String(limit)).to.deep.equal(['limit']);
    }
  });

  it('refuses unknown members, null and missing members; leaves out what is optional', () => {
    const fields = { name: text(1, 9), note: optional(text(1, 9)) };
    expect(check(fields, { name: 'a' })).to.deep.equal({ name: 'a', note: undefined });
    expect(check(fields, {})).to.deep.equal(['name']);
    expect(check(fields, { name: 'a', note: null })).to.deep.equal(['note']);
    expect(check(fields, { name: 'a', admin: true })).to.have.lengthOf(1);
  });

  it('takes null for a value that no field has, also where there is a default', () => {
    const withDefaults = { hands: defaulting(integer(1, 20), 1), type: defaulting(enumeration(['a', 'b']), 'a') };
    expect(check(withDefaults, { hands: null, type: null })).to.deep.equal(['hands', 'type']);
    expect(check(withDefaults, {})).to.deep.equal({ hands: 1, type: 'a' });
    expect(check({ rules: defaulting(object(withDefaults), { hands: 1, type: 'a' }) }, { rules: null })).to.deep.equal([
      'rules',
    ]);
    expect(check({ rules: object(withDefaults) }, { rules: { hands: null } })).to.deep.equal(['rules.hands']);
  });

  it('finds what is wrong without repeating what was sent', () => {
    const findings = validator.compile({ $$strict: true, ...rulesOf({ pin: text(1, 9) }) })({
      pin: 86427531,
      x: 'secret',
    });
    expect(JSON.stringify(findings)).to.not.match(/86427531|secret/);
  });

  it('checks the members of objects and lists', () => {
    const fields = { rules: object({ n: integer(1, 9) }), ids: boundedList(integer(1, 9), 1, 2) };
    expect(check(fields, { rules: { n: 10 }, ids: [1, 99] })).to.deep.equal(['rules.n', 'ids[1]']);
    expect(check(fields, { rules: [], ids: {} })).to.deep.equal(['rules', 'ids']);
    expect(check(fields, { rules: { n: 1, m: 2 }, ids: [1] })).to.deep.equal(['rules']);
  });
});
