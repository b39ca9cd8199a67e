import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { declaredMetrics, type DeclaredMetric } from '../../harness/further-metrics.ts';

const DOCUMENT = join(import.meta.dirname, '..', '..', '..', 'docs', 'observability.md');
const HEADER = '| metric | type | labels | meaning |';

function rowOf({ name, type, help, labelNames }: DeclaredMetric): string {
  const labels = labelNames.map((label) => `\`${label}\``).join(', ') || '–';
  return `| \`${name}\` | ${type} | ${labels} | ${help} |`;
}

describe('docs/observability.md', () => {
  const rows = readFileSync(DOCUMENT, 'utf8')
    .split('\n')
    .map((line) => line.replace(/ +/g, ' '));
  const { common, further } = declaredMetrics();

  function expectTable(header: number, declared: readonly DeclaredMetric[]): void {
    const start = header + 2;
    expect(rows.slice(start, start + declared.length).join('\n')).to.equal(declared.map(rowOf).join('\n'));
    expect(rows[start + declared.length]).to.equal('');
  }

  it('shows every metric with its type, labels and meaning', () => {
    expectTable(rows.indexOf(HEADER), common);
  });

  it('shows those that only webhooks and reminders have in a table of their own', () => {
    expect(further.map(({ name }) => name.split('_')[0])).to.include.members(['webhook', 'reminders']);
    expectTable(rows.indexOf(HEADER, rows.indexOf('### Webhooks and reminders')), further);
  });
});

describe('the names of metrics', () => {
  it('have a unit or say what they count, and no label that could hold an id', () => {
    for (const { name, type, labelNames } of [...declaredMetrics().common, ...declaredMetrics().further]) {
      expect(name, name).to.match(/^[a-z]+(_[a-z]+)+$/);
      if (type === 'counter') expect(name).to.match(/_total$/);
      else expect(name).to.not.match(/_total$/);
      if (name !== 'target_info') expect(labelNames.join(), name).to.not.match(/\b(\w+_)?(id|user|path|url|address)\b/);
    }
  });
});
