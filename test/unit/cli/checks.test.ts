import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { CHECKS } from '../../../cli/verify/checks.ts';

const DOCUMENT = join(import.meta.dirname, '..', '..', '..', 'docs', 'backup.md');

describe('the checks of npm run verify', () => {
  it('have different names, and are all in docs/backup.md', () => {
    const rows = CHECKS.map(({ name, compares }) => `| \`${name}\` | ${compares} |`);
    expect(new Set(CHECKS.map(({ name }) => name)).size).to.equal(CHECKS.length);
    const shown = readFileSync(DOCUMENT, 'utf8')
      .split('\n')
      .map((line) => line.replace(/ +/g, ' '));
    const start = shown.indexOf('| check | compares |');
    expect(shown.slice(start + 2, start + 2 + rows.length + 1)).to.deep.equal([...rows, '']);
  });
});
