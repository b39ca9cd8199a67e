import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { readResults } from './report/results.ts';
import type { Row } from './report/row.ts';
import { ratioOf, spreadOf } from './report/statistics.ts';
import { figureText, tableText } from './report/table.ts';
import type { Bench, Section } from './section.ts';

/** Folders that are not copied; node_modules is linked instead. */
const NOT_COPIED = new Set(['node_modules', '.git', '.data', '.cache', 'coverage', 'results']);

/** Rows that are worse by more than this are marked. */
const WORSE_MAX_PERCENT = 5;

/** The figures of a row in each round. */
export interface Compared {
  row: Pick<Row, 'id' | 'unit'>;
  here: number[];
  there: number[];
}

/**
 * Measures sections of this checkout and of another in turn, each by its own benchmark, and matches rows by their ids.
 * Both run from copies, so that neither checkout is changed. Every other round has the reverse order.
 * @param directories of both checkouts, with their node_modules
 * @returns a table in Markdown
 */
export async function compareCheckouts(
  bench: Bench,
  sections: readonly Section[],
  directories: { here: string; there: string },
): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const checkouts = { here: copyOf(directories.here, stack), there: copyOf(directories.there, stack) };
  const compared = new Map<string, Compared>();
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const { id } of sections) {
      for (const side of round % 2 === 1 ? (['there', 'here'] as const) : (['here', 'there'] as const)) {
        bench.log(`round ${String(round)}, ${id}, ${side}`);
        for (const row of await measureOnce(checkouts[side], id, bench)) {
          const figures = compared.get(row.id) ?? { row, here: [], there: [] };
          figures[side].push(row.ours.median);
          compared.set(row.id, figures);
        }
      }
    }
  }
  return comparisonText([...compared.values()]);
}

/** Copies a checkout; the stack removes the copy. */
function copyOf(directory: string, stack: AsyncDisposableStack): string {
  const checkout = resolve(directory);
  const copy = mkdtempSync(join(tmpdir(), 'association-checkout-'));
  stack.defer(() => rmSync(copy, { recursive: true }));
  cpSync(checkout, copy, { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
  mkdirSync(join(copy, 'bench', 'results'), { recursive: true });
  symlinkSync(join(checkout, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Measures a round of a section by the checkout's own benchmark, with options that older checkouts support. */
async function measureOnce(checkout: string, section: string, bench: Bench): Promise<Row[]> {
  const { round_ms, pgledgerDir } = bench;
  const options = ['--only', section, '--rounds', '1', '--round-ms', String(round_ms)];
  if (pgledgerDir !== undefined) options.push('--pgledger', resolve(pgledgerDir));
  const child = spawn(process.execPath, [join(checkout, 'bench', 'run.ts'), ...options], {
    cwd: checkout,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  // The comparison lacks the rows of a failed section.
  if (code !== 0) bench.log(`${section} failed`);
  const [last] = readResults(checkout);
  rmSync(join(checkout, 'bench', 'results'), { recursive: true });
  mkdirSync(join(checkout, 'bench', 'results'));
  return last?.sections.flatMap(({ rows }) => rows) ?? [];
}

/** Returns a table of the rows that both checkouts have in every round; a change above zero is better. */
export function comparisonText(all: readonly Compared[]): string {
  const rows = all
    .filter(({ here, there }) => here.length > 0 && here.length === there.length)
    .map(({ row, here, there }) => {
      const ratio = ratioOf(spreadOf(here), spreadOf(there));
      const changeOf = (value: number) => (row.unit === '/s' ? value - 1 : 1 - value) * 100;
      const percent = (value: number) => `${changeOf(value) < 0 ? '' : '+'}${changeOf(value).toFixed(1)} %`;
      const [least, greatest] = [ratio.least, ratio.greatest].toSorted((a, b) => changeOf(a) - changeOf(b));
      return [
        row.id,
        `${figureText(spreadOf(here).median)} ${row.unit}`,
        `${figureText(spreadOf(there).median)} ${row.unit}`,
        `${percent(ratio.median)} (${percent(least!)} to ${percent(greatest!)})`,
        changeOf(ratio.median) < -WORSE_MAX_PERCENT ? '**worse**' : '',
      ];
    });
  const note = `Change: the median over the rounds, above zero is better; marked if worse by more than ${String(WORSE_MAX_PERCENT)} %.`;
  return `${tableText(['row', 'this checkout', 'the other', 'change', ''], rows)}\n\n${note}`;
}
