import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ownContracts } from '../../harness/compatibility/contracts.ts';
import { differences } from '../../harness/compatibility/differences.ts';
import { EXCEPTIONS, linesOf, RULES, unexplained } from '../../harness/compatibility/rules.ts';
import { lastContracts, LAST_RELEASE } from '../../harness/releases.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** A document as a client gets it: without members that are undefined. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe('the operations, events and commands', () => {
  it(`keep what clients, subscribers and processes of ${LAST_RELEASE} rely on, except as the changelog says`, () => {
    const today = new Date().toISOString().slice(0, 10);
    const lines = linesOf(differences(lastContracts(), sent(ownContracts()), today));
    expect(unexplained(lines, EXCEPTIONS, read('CHANGELOG.md'))).to.deep.equal([]);
  });

  it('are compared by the rules of docs/versions.md', () => {
    const page = read('docs/versions.md').replaceAll(/\s+/g, ' ');
    expect(Object.values(RULES).filter((rule) => !page.includes(rule))).to.deep.equal([]);
  });
});
