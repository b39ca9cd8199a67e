import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { complaintsAbout, reworded } from '../../../lib/schema/complaints.ts';
import type { Finding } from '../../../lib/schema/complaints.ts';
import { date, optional } from '../../../lib/schema/fields.ts';
import { rulesOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('complaints about fields', () => {
  /** Every type of finding that the rules of lib/schema make, and one that they don't. */
  const TYPES = [
    ...['required', 'string', 'number', 'boolean', 'object', 'array', 'stringMin', 'stringMax', 'stringPattern'],
    ...[
      'stringEnum',
      'currency',
      'date',
      'numberInteger',
      'numberPositive',
      'numberMin',
      'numberMax',
      'dateMin',
      'dateMax',
    ],
    ...['arrayMin', 'arrayMax', 'somethingNew'],
  ];

  it('have the same code in every language, and words of its own', () => {
    for (const type of [...TYPES, 'objectStrict']) {
      const findings = [{ type, field: 'a', expected: '42' }];
      const [english] = complaintsAbout(findings, { a: { b: 1 } });
      const [french] = complaintsAbout(findings, { a: { b: 1 } }, '', 'fr');
      expect(french?.code, type).to.equal(english?.code);
      expect(french?.pointer, type).to.equal(english?.pointer);
      expect(french?.detail, type).to.match(/^(Ce|Cette) .*\.$/);
      expect(french?.detail.includes('42'), type).to.equal(english?.detail.includes('42'));
      expect(reworded(english!, 'fr').detail, type).to.not.equal(english?.detail);
      expect(reworded(english!, 'en'), type).to.deep.equal(english);
    }
  });

  it('say of a day whether it does not exist or lies outside of the calendar, and of null that it is null', () => {
    const rules = { $$strict: true, ...rulesOf({ on: optional(date()) }) };
    const check = contractValidator().compile(rules) as (value: object) => unknown;
    const said = (on: unknown) => {
      const [complaint] = complaintsAbout(check({ on }) as Finding[], { on });
      return `${complaint?.code ?? ''}: ${complaint?.detail ?? ''}`;
    };
    expect(said('9999-12-31')).to.equal('too_large: This must be 2999-12-31 or earlier.');
    expect(said('1899-12-31')).to.equal('too_small: This must be 1900-01-01 or later.');
    expect(said('2026-02-30')).to.equal('date: This must be a day that exists, written YYYY-MM-DD.');
    expect(said(null)).to.equal('null: This must not be null. A field that is optional is left out instead.');
  });

  it('have French words also where a service makes them itself', async () => {
    const codes = new Set<string>();
    for await (const file of glob('services/**/*.ts', { cwd: root })) {
      const source = readFileSync(join(root, file), 'utf8');
      for (const [, code = ''] of source.matchAll(/\bpointer(?::[^,{}]*|),\s*code: '(\w+)'/g)) codes.add(code);
    }
    expect(codes.size).to.be.greaterThan(5);
    for (const code of codes) {
      expect(reworded({ pointer: '', code, detail: 'English.' }, 'fr').detail, code).to.not.equal('English.');
    }
  });
});
