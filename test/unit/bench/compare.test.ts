import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { comparisonText, compareCheckouts } from '../../../bench/compare.ts';
import type { Row } from '../../../bench/report/row.ts';
import { spreadOf } from '../../../bench/report/statistics.ts';

const row = (unit: Row['unit']): Row => ({ id: 'a', what: 'a', unit, ours: spreadOf([100]) });

/** Returns the change and the mark that the comparison shows for a row with these figures. */
function changeOf(unit: Row['unit'], here: number[], there: number[]): string | undefined {
  return comparisonText([{ row: row(unit), here, there }])
    .split('\n')[2]
    ?.split(' | ')
    .slice(3)
    .join(' ');
}

describe('the comparison of two checkouts', () => {
  it('counts higher rates as better, and lower figures of every other unit as better', () => {
    expect(changeOf('/s', [110, 100, 99], [100, 100, 100])).to.equal('+0.0 % (-1.0 % to +10.0 %)  |');
    expect(changeOf('ms', [90, 90, 90], [100, 100, 100])).to.equal('+10.0 % (+10.0 % to +10.0 %)  |');
  });

  it('marks a figure that is worse by more than 5 %', () => {
    expect(changeOf('/s', [94], [100])).to.include('**worse**');
    expect(changeOf('ms', [106], [100])).to.include('**worse**');
    expect(changeOf('ms', [104], [100])).not.to.include('worse');
  });

  it('leaves out rows that only one of the checkouts has', () => {
    expect(comparisonText([{ row: row('/s'), here: [1], there: [] }])).not.to.include('| a |');
  });

  describe('of directories', () => {
    const folder = mkdtempSync(join(tmpdir(), 'association-compare-'));
    after(() => rmSync(folder, { recursive: true }));

    /** Creates a checkout whose benchmark has one row with this figure. */
    function checkoutWith(name: string, figure: number): string {
      const checkout = join(folder, name);
      mkdirSync(join(checkout, 'node_modules'), { recursive: true });
      mkdirSync(join(checkout, 'bench', 'results'), { recursive: true });
      const results = JSON.stringify({ sections: [{ rows: [{ ...row('/s'), ours: spreadOf([figure]) }] }] });
      const run = `import { writeFileSync } from 'node:fs';
        if (process.argv.slice(2).join(' ') !== '--only s --rounds 1 --round-ms 5') process.exit(1);
        writeFileSync('bench/results/1.json', ${JSON.stringify(results)});`;
      writeFileSync(join(checkout, 'bench', 'run.ts'), run);
      writeFileSync(join(checkout, 'package.json'), '{"type":"module"}');
      return checkout;
    }

    it('runs the benchmarks of both alternately, in copies of the checkouts', async () => {
      const directories = { here: checkoutWith('here', 90), there: checkoutWith('there', 100) };
      const turns: string[] = [];
      const bench = {
        rounds: 2,
        round_ms: 5,
        history: 1,
        pgledgerDir: undefined,
        log: (line: string) => turns.push(line),
      };
      const section = { id: 's', title: 'S', measure: () => Promise.resolve([]) };
      const text = await compareCheckouts(bench, [section], directories);
      expect(text).to.include('| a | 90 /s | 100 /s | -10.0 % (-10.0 % to -10.0 %) | **worse** |');
      expect(turns.map((line) => line.split(', ').at(-1))).to.deep.equal(['there', 'here', 'here', 'there']);
      expect(readdirSync(join(directories.here, 'bench', 'results'))).to.deep.equal([]);
    });
  });
});
