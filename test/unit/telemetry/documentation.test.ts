import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { REGISTRY } from '../../../lib/telemetry/metrics.ts';

const DOCUMENT = join(import.meta.dirname, '..', '..', '..', 'docs', 'observability.md');
const HEADER = '| metric | type | labels | meaning |';

/** A metric as its declaration has it; prom-client's types lack the labels. */
interface Declared {
  name: string;
  type: string;
  help: string;
  labelNames: string[];
}

function rowOf({ name, type, help, labelNames }: Declared): string {
  const labels = labelNames.map((label) => `\`${label}\``).join(', ') || '–';
  return `| \`${name}\` | ${type} | ${labels} | ${help} |`;
}

describe('docs/observability.md', () => {
  const declared = REGISTRY.getMetricsAsArray() as unknown as Declared[];

  it('shows every metric with its type, labels and meaning', () => {
    const rows = readFileSync(DOCUMENT, 'utf8')
      .split('\n')
      .map((line) => line.replace(/ +/g, ' '));
    const start = rows.indexOf(HEADER) + 2;
    expect(rows.slice(start, start + declared.length).join('\n')).to.equal(declared.map(rowOf).join('\n'));
    expect(rows[start + declared.length]).to.equal('');
  });
});

describe('the names of metrics', () => {
  it('have a unit or say what they count, and no label that could hold an id', () => {
    for (const { name, type, labelNames } of REGISTRY.getMetricsAsArray() as unknown as Declared[]) {
      expect(name, name).to.match(/^[a-z]+(_[a-z]+)+$/);
      if (type === 'counter') expect(name).to.match(/_total$/);
      else expect(name).to.not.match(/_total$/);
      if (name !== 'target_info') expect(labelNames.join(), name).to.not.match(/\b(\w+_)?(id|user|path|url|address)\b/);
    }
  });
});
