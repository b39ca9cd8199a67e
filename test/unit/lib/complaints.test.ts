import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { complaintsAbout, reworded } from '../../../lib/schema/complaints.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('complaints about fields', () => {
  /** Every type of finding that the rules of lib/schema make, and one that they don't. */
  const TYPES = [
    ...['required', 'string', 'number', 'boolean', 'object', 'array', 'stringMin', 'stringMax', 'stringPattern'],
    ...['stringEnum', 'currency', 'date', 'numberInteger', 'numberPositive', 'numberMin', 'numberMax'],
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
