import { expect } from 'chai';
import { lastFigures, type Results } from '../../../bench/report/results.ts';
import type { Row } from '../../../bench/report/row.ts';
import { median, quantile, ratioOf, spreadOf, welchT } from '../../../bench/report/statistics.ts';
import { figureText, isMet, markdownOf } from '../../../bench/report/table.ts';

const row = (more: Partial<Row>): Row => ({ id: 'a', what: 'a', unit: '/s', ours: spreadOf([100]), ...more });

const baseline = { what: 'plain', figure: spreadOf([50]) };
const least = (value: number) => ({ of: 'ratio', at: 'least', value }) as const;
const most = (value: number) => ({ of: 'figure', at: 'most', value }) as const;

const results = (rows: Row[], more: Partial<Results> = {}): Results => ({
  at: '2026-01-02T03:04:05.678Z',
  machine: { hardware: 'A CPU, 2 cores', flush_us: 368, longest_flush_ms: 12, software: 'Node v24', commit: 'abc' },
  options: { rounds: 3, round_ms: 2_000 },
  sections: [{ id: 's', title: 'A section', rows }],
  ...more,
});

describe("the benchmark's goals", () => {
  const cases: [name: string, row: Partial<Row>, met: boolean | undefined][] = [
    ['neither met nor missed where a row has no goal', {}, undefined],
    ['met by a ratio that reaches the least value', { goal: least(0.9), ratio: spreadOf([0.9]) }, true],
    ['missed by a ratio below the least value', { goal: least(0.9), ratio: spreadOf([0.89]) }, false],
    ['met by a figure that does not exceed the greatest value', { goal: most(100), ours: spreadOf([100]) }, true],
    ['missed by a figure above the greatest value', { goal: most(100), ours: spreadOf([100.1]) }, false],
    ['compared with the median, not with the best round', { goal: least(2), ratio: spreadOf([1, 1.5, 9]) }, false],
    [
      'compared with the ratio, not with the figure, if they are goals for the ratio',
      { goal: least(2), ours: spreadOf([9]), ratio: spreadOf([1]) },
      false,
    ],
    ['missed by a row without a baseline if they are goals for the ratio', { goal: least(0) }, false],
  ];
  for (const [name, given, met] of cases) {
    it(`are ${name}`, () => {
      expect(isMet(row(given))).to.equal(met);
    });
  }
});

describe("the benchmark's statistics", () => {
  it('define the median as the middle value, or the mean of the two middle values', () => {
    expect(median([30, 1, 2])).to.equal(2);
    expect(median([4, 1, 3, 100])).to.equal(3.5);
    expect(() => median([])).to.throw(RangeError);
  });

  it('compute the ratio of each round, not the ratio of the medians', () => {
    // The machine was slow in the second round, for both.
    const ratio = ratioOf(spreadOf([100, 30, 80]), spreadOf([50, 10, 20]));
    expect(ratio).to.deep.equal({ median: 3, least: 2, greatest: 4, rounds: [2, 3, 4] });
    expect(() => ratioOf(spreadOf([1, 2]), spreadOf([1]))).to.throw('no baseline');
  });

  it('define a quantile as the value that this share of the values is below, at most the greatest', () => {
    const sorted = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0, 0.5, 0.99, 1].map((share) => quantile(sorted, share))).to.deep.equal([1, 51, 100, 100]);
  });

  it('are shown with three significant digits', () => {
    expect([12_345, 602.4, 0.012345, 1.5, 0].map(figureText)).to.deep.equal([
      '12\u202f345',
      '602',
      '0.0123',
      '1.5',
      '0',
    ]);
  });
});

describe("the benchmark's table", () => {
  it('shows the figure, the last figure, the baseline, the ratio and the goal of each row', () => {
    const rows = [
      row({ what: 'quick', baseline, ratio: spreadOf([2]), goal: least(2) }),
      row({ id: 'b', what: 'slow', unit: 'ms', ours: spreadOf([60, 50, 90]), goal: most(50) }),
    ];
    const markdown = markdownOf(results(rows), new Map([['a', 90]]));
    expect(markdown).to.include('| quick | 100 /s | 90 | 50 /s plain | 2× | ≥ 2× | met |');
    expect(markdown).to.include('| slow | 60 (50–90) ms | – | – | – | ≤ 50 ms | **short** |');
  });

  it('begins with the rows that miss their goal and the sections that failed', () => {
    const sections = [
      { id: 's', title: 'A section', rows: [row({ what: 'slow', goal: most(50) }), row({ goal: most(100) }), row({})] },
      { id: 't', title: 'Another', rows: [], error: 'No servers' },
    ];
    const markdown = markdownOf(results([], { sections }), new Map());
    expect(markdown).to.include('**1 met, 1 short**, 1 without a goal\n- short: slow\n- failed: t: No servers\n');
    expect(markdown).to.include('## Another\n\nFailed: No servers');
  });

  it('takes the last figure of a row from the most recent run that has the row', () => {
    const earlier = results([row({ ours: spreadOf([1]) }), row({ id: 'b', ours: spreadOf([2]) })]);
    const later = results([row({ ours: spreadOf([3]) })]);
    expect([...lastFigures([later, earlier])]).to.deep.equal([
      ['a', 3],
      ['b', 2],
    ]);
  });
});

describe("Welch's t", () => {
  it('is the difference of the means in standard errors', () => {
    // Means 2 and 5, variances 1 and 4, 3 values each: -3 / sqrt(1/3 + 4/3).
    expect(welchT([1, 2, 3], [3, 5, 7])).to.be.closeTo(-3 / Math.sqrt(5 / 3), 1e-12);
    expect(welchT([1, 2, 3], [3, 2, 1])).to.equal(0);
  });
});
