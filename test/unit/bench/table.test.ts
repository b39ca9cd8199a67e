import { expect } from 'chai';
import { markdownOf } from '../../../bench/report/results.ts';
import type { Results } from '../../../bench/report/results.ts';
import type { Row } from '../../../bench/report/row.ts';
import { spreadOf } from '../../../bench/report/statistics.ts';

const row = (more: Partial<Row>): Row => ({ id: 'a', what: 'a', unit: '/s', ours: spreadOf([100]), ...more });

const beside = { what: 'plain', figure: spreadOf([50]) };
const twice = { of: 'ratio', at: 'least', value: 2 } as const;
const atMost = (value: number) => ({ of: 'ratio', at: 'most', value }) as const;

const results = (rows: Row[], more: Partial<Results> = {}): Results => ({
  at: '2026-01-02T03:04:05.678Z',
  machine: {
    ...{ cores: 2, cpu: 'A CPU', memory_mib: 1_024, file_system: 'ext4', flush_us: 368, kernel: 'Linux 6' },
    ...{ node: 'v24.0.0', postgres: '18.4', nats: '2.9.10', commit: 'abc' },
  },
  options: { only: ['s'], rounds: 3, round_ms: 2_000, pgledger: false, ten_million: false },
  left_out: [],
  sections: [{ id: 's', title: 'A section', seconds: 12.4, rows }],
  not_measured: [],
  ...more,
});

/** The cells of the tables' rows. */
function cellsOf(rows: Row[]): string[][] {
  const lines = markdownOf(results(rows))
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  return lines.map((line) => line.slice(2, -2).split(' | '));
}

describe("the benchmark's table", () => {
  it('says of each row whether it has reached its goal', () => {
    const rows = [
      row({ what: 'quick', beside, ratio: spreadOf([2]), goal: twice }),
      row({ what: 'slow', unit: 'ms', goal: { of: 'figure', at: 'most', value: 50 } }),
      row({ what: 'shown' }),
    ];
    expect(cellsOf(rows)).to.deep.equal([
      ['quick', '100 /s', '50 /s plain', '2×', '≥ 2×', 'met'],
      ['slow', '100 ms', '–', '–', '≤ 50 ms', '**short**'],
      ['shown', '100 /s', '–', '–', '–', '–'],
    ]);
  });

  it('has the least and the greatest in brackets, of more than one round', () => {
    expect(cellsOf([row({ ours: spreadOf([12_345, 3, 0.5]) })])[0]?.[1]).to.equal('3 (0.5–12\u202f345) /s');
    expect(cellsOf([row({ ours: spreadOf([602.4]) })])[0]?.[1]).to.equal('602 /s');
  });

  it('has as many digits as tell on which side of its goal a figure is', () => {
    const ratioOf = (ratio: number, goal: Row['goal']) =>
      cellsOf([row({ beside, ratio: spreadOf([ratio]), ...(goal && { goal }) })])[0]?.[3];
    expect(ratioOf(1.6004, atMost(1.6))).to.equal('1.6004×');
    expect(ratioOf(1.5996, atMost(1.6))).to.equal('1.5996×');
    expect(ratioOf(1.6, atMost(1.6))).to.equal('1.6×');
    expect(ratioOf(1.6004, atMost(1.5))).to.equal('1.6×');
    expect(ratioOf(1.6004, undefined)).to.equal('1.6×');
    const figure = row({ unit: 'ms', ours: spreadOf([1_000.2]), goal: { of: 'figure', at: 'most', value: 1_000 } });
    expect(cellsOf([figure])[0]?.[1]).to.equal('1\u202f000.2 ms');
  });

  it('is followed by what explains it, with names and units that are read without the code', () => {
    const details = { per_s: 555, p99_ms: 1_234.5, 'empty hops: empty a_us': 90, plain_connections: 2, kind: 'x' };
    expect(markdownOf(results([row({ what: 'shown', details })]))).to.include(
      [
        '- shown',
        '  - 555 /s, p99 = 1\u202f235 ms, kind = x',
        '  - empty hops: empty a = 90 µs',
        '  - plain: connections = 2',
      ].join('\n'),
    );
  });
});

describe("the benchmark's report", () => {
  it('begins with how many goals are met, and names those that are not', () => {
    const rows = [
      row({ beside, ratio: spreadOf([2]), goal: twice }),
      row({ beside, ratio: spreadOf([3]), goal: twice }),
      row({ what: 'slow', beside, ratio: spreadOf([1.999]), goal: twice }),
      row({}),
    ];
    const summary = '**2 met, 1 short**, 1 without a goal:\n\n- short: slow, beside plain: 1.999×, to reach ≥ 2×\n';
    expect(markdownOf(results(rows))).to.include(`# Benchmark of 2026-01-02T03:04:05.678Z\n\n${summary}`);
  });

  it('says where it was measured, how, and what was left out', () => {
    const markdown = markdownOf(results([row({})], { left_out: ['the sections t, u', 'pgledger'] }));
    expect(markdown).to.include('A CPU, 2 cores').and.include('Took 12 s.');
    expect(markdown).to.include('\n- options: `--only s --rounds 3 --round-ms 2000`\n');
    expect(markdown).to.include('\n- left out: the sections t, u; pgledger\n');
    expect(markdown).to.match(/\n- ratio: ours ÷ beside within each round, then the median/);
  });

  it('says what its words mean, of those that it uses', () => {
    const markdown = markdownOf(results([row({ what: 'postings, 32 in flight', beside })]));
    const words = [...markdown.matchAll(/^- \*(.+)\*: /gm)].map(([, word]) => word);
    expect(words).to.deep.equal(['in flight', 'plain']);
  });

  it('says why a section has no rows', () => {
    const failed = { id: 's', title: 'A section', seconds: 1, rows: [], error: 'No servers' };
    const markdown = markdownOf(results([], { sections: [failed] }));
    expect(markdown).to.include('**0 met, 0 short**, 0 without a goal:\n\n- failed: s: No servers\n');
    expect(markdown).to.include('## A section\n\nFailed: No servers\n');
  });

  it('says that it is not complete, if it is not', () => {
    expect(markdownOf(results([row({})], { not_measured: ['t', 'u'] }))).to.include(
      '\n\n**Not complete.** Not measured: t, u.\n',
    );
    expect(markdownOf(results([row({})]))).not.to.include('complete');
  });
});
