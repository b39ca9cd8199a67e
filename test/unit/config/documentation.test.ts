import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  ALL_SERVICES,
  DATABASE_SERVICES,
  FURTHER_SERVICES,
  TABLE_SERVICES,
} from '../../../lib/config/service-names.ts';
import { VARIABLES, type Variable } from '../../../lib/config/variables.ts';
import { ownVariables } from '../../harness/own-variables.ts';
import { ROOT } from '../../harness/process.ts';

const DOCUMENT = join(import.meta.dirname, '..', '..', '..', 'docs', 'running.md');
const HEADER = ['variable', 'value', 'default', 'read by', 'meaning'];

function rowOf([key, variable]: [string, Variable<unknown>]): string[] {
  const { type, default: usual, productionDefault, unset = '–', inFile, about } = variable;
  const value = usual === undefined || usual === '' ? unset : `\`${usual}\``;
  return [
    `\`${key.replace('SERVICE', '<SERVICE>')}\`${inFile === true ? ' *' : ''}`,
    type.form,
    productionDefault === undefined ? value : `${value}; \`${productionDefault}\` in production`,
    readersOf(variable),
    about,
  ];
}

function readersOf({ readBy }: Variable<unknown>): string {
  if (readBy.length === 0) return 'none';
  if (readBy.length === ALL_SERVICES.length) return 'all services';
  if (readBy.length === DATABASE_SERVICES.length) return 'services with databases';
  return readBy.length === TABLE_SERVICES.length ? 'services with tables' : readBy.join(', ');
}

describe('docs/running.md', () => {
  it('shows every variable of the settings with its type, default, readers and meaning', () => {
    const expected = [HEADER, ...Object.entries(VARIABLES).map(rowOf)].map((cells) => `| ${cells.join(' | ')} |`);
    const rows = readFileSync(DOCUMENT, 'utf8')
      .split('\n')
      .map((line) => line.replace(/ +/g, ' '));
    const start = rows.indexOf(`| ${HEADER.join(' | ')} |`);
    const shown = rows.slice(start).slice(0, expected.length + 1);
    // The second row is the line below the header.
    expect(shown.toSpliced(1, 1).join('\n')).to.equal(expected.join('\n'));
    expect(rows[start + expected.length + 1]).to.equal('');
  });
});

describe('docs/deployment.md', () => {
  it('shows the variables that only webhooks and reminders have, and which of them may be files', () => {
    const document = readFileSync(join(ROOT, 'docs', 'deployment.md'), 'utf8');
    const table = document.slice(document.indexOf('## Webhooks and reminders'));
    for (const service of FURTHER_SERVICES) {
      const { secrets, generated, others } = ownVariables(service);
      const shown = [...table.matchAll(/^\| `(\w+)`( \\\*)? +\| (\w+) +\| (\S+)/gm)].filter(
        ([, , , by]) => by === service,
      );
      const files = [...secrets, ...generated];
      expect(shown.map(([, name]) => name)).to.have.members([...files, ...others]);
      for (const [, name = '', star, , need] of shown) {
        expect(star !== undefined, name).to.equal(files.includes(name));
        if (generated.includes(name)) expect(need, name).to.equal('required');
      }
    }
  });
});
