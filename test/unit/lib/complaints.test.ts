import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { complaintsAbout, translate, type Finding } from '../../../lib/schema/complaints.ts';
import { date, dayOrInstant, enumeration, list, object, optional } from '../../../lib/schema/fields.ts';
import { rulesOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** The types of findings of the rules of lib/schema, and one unknown type. */
const TYPES = [
  'required',
  'string',
  'number',
  'boolean',
  'object',
  'array',
  'stringMin',
  'stringMax',
  'stringPattern',
  'stringEnum',
  'currency',
  'date',
  'instant',
  'dayOrInstant',
  'dateMin',
  'dateMax',
  'numberInteger',
  'numberPositive',
  'numberMin',
  'numberMax',
  'objectMinProps',
  'objectMaxProps',
  'memberName',
  'arrayMin',
  'arrayMax',
  'objectStrict',
  'somethingNew',
];

describe('complaints about fields', () => {
  for (const type of TYPES) {
    it(`have the same code in every language: ${type}`, () => {
      const findings = [{ type, field: 'a', expected: '42' }];
      const [english] = complaintsAbout(findings, { a: { b: 1 } });
      const [french] = complaintsAbout(findings, { a: { b: 1 } }, '', 'fr');
      expect(french).to.include({ code: english!.code, pointer: english!.pointer });
      expect(french!.detail).to.match(/^(Ce|Cette|Cet) [^{}]*\.$/);
      expect(english!.detail).to.match(/^[^{}]*\.$/);
      expect(french!.detail.includes('42')).to.equal(english!.detail.includes('42'));
      expect(translate(english!, 'fr').detail).to.not.equal(english!.detail);
      expect(translate(english!, 'en')).to.deep.equal(english);
    });
  }

  const said: [unknown, string][] = [
    ['9999-12-31', 'too_large: This must be 2999-12-31 or earlier.'],
    ['1899-12-31', 'too_small: This must be 1900-01-01 or later.'],
    ['2026-02-30', 'date: This must be a day that exists, written YYYY-MM-DD.'],
    [null, 'null: This must not be null. A field that is optional is left out instead.'],
  ];
  for (const [on, complaint] of said) {
    it(`explain what is wrong with the day ${String(on)}`, () => {
      const rules = { $$strict: true, ...rulesOf({ on: optional(date()) }) };
      const check = contractValidator().compile(rules) as (value: object) => unknown;
      const [{ code, detail } = {}] = complaintsAbout(check({ on }) as Finding[], { on });
      expect(`${code ?? ''}: ${detail ?? ''}`).to.equal(complaint);
    });
  }

  it('name the item of a list', () => {
    const rules = {
      $$strict: true,
      ...rulesOf({ types: list(enumeration(['a', 'b'])), days: list(object({ on: date() })) }),
    };
    const check = contractValidator().compile(rules) as (value: object) => unknown;
    const value = { types: ['a', 'c', 1], days: [{ on: '2026-01-01' }, { on: 'x' }] };
    const pointers = complaintsAbout(check(value) as Finding[], value).map(({ pointer }) => pointer);
    expect(pointers).to.have.members(['/types/1', '/types/2', '/days/1/on']);
    const good = { types: [' A ', 'b'], days: [] };
    expect(check(good)).to.equal(true);
    expect(good.types).to.deep.equal(['a', 'b']);
  });

  it('explain what is wrong with a value that may be a day or an instant', () => {
    const rules = { $$strict: true, ...rulesOf({ from: dayOrInstant() }) };
    const check = contractValidator().compile(rules) as (value: object) => unknown;
    const codeOf = (from: string) => complaintsAbout(check({ from }) as Finding[], { from })[0]?.code;
    const given = ['2026-02-30', 'today', '2026-02-28T10:00', '1899-12-31', '3000-01-01T00:00:00Z'];
    expect(given.map(codeOf)).to.deep.equal(['date', 'date', 'date', 'too_small', 'too_large']);
  });

  it('name an unknown member with the empty name, even if the object has no members', () => {
    const check = contractValidator().compile({ $$strict: true }) as (value: object) => unknown;
    const complaints = complaintsAbout(check({ '': 1 }) as Finding[], { '': 1 });
    expect(complaints.map(({ pointer, code }) => [pointer, code])).to.deep.equal([['/', 'unknown']]);
  });

  it('use the singular and the plural', () => {
    const detail = (expected: number) => complaintsAbout([{ type: 'arrayMax', expected }], []).at(0)?.detail;
    expect([1, 2].map(detail)).to.deep.equal(['This may have at most 1 item.', 'This may have at most 2 items.']);
  });

  it('have French texts for the codes that services use themselves', async () => {
    const codes = new Set<string>();
    for await (const file of glob('services/**/*.ts', { cwd: root })) {
      const source = readFileSync(join(root, file), 'utf8');
      for (const [, code = ''] of source.matchAll(/\bpointer(?::[^,{}]*|),\s*code: '(\w+)'/g)) codes.add(code);
    }
    expect(codes.size).to.be.greaterThan(5);
    const untranslated = [...codes].filter(
      (code) => translate({ pointer: '', code, detail: '?' }, 'fr').detail === '?',
    );
    expect(untranslated).to.deep.equal([]);
  });
});
