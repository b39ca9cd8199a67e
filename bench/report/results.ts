import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import type { Row } from './row.ts';

/** Where a checkout keeps its runs, from its root; a file is named by the time of its run, so that names sort by it. */
const RESULTS = join('bench', 'results');
const ROOT = join(import.meta.dirname, '..', '..');
const INDENT_SPACES = 2;

export interface SectionResult {
  id: string;
  title: string;
  rows: Row[];
  /** Why it has no rows, in one line. */
  error?: string;
}

/** One run of the benchmark, as far as it has come. */
export interface Results {
  /** RFC 3339 in UTC. */
  at: string;
  machine: Machine;
  options: { rounds: number; round_ms: number };
  sections: SectionResult[];
}

/**
 * Writes the run in place of what was written of it before, in one step.
 * @returns the file's name from the project's root
 */
export function writeResults(results: Results): string {
  const name = join(RESULTS, `${results.at.replace(/\.\d+/, '').replaceAll(':', '-')}.json`);
  mkdirSync(join(ROOT, RESULTS), { recursive: true });
  writeFileSync(join(ROOT, `${name}.draft`), `${JSON.stringify(results, null, INDENT_SPACES)}\n`);
  renameSync(join(ROOT, `${name}.draft`), join(ROOT, name));
  return name;
}

/** The runs that a checkout has in bench/results, the last one first. */
export function readResults(checkout = ROOT): Results[] {
  const dir = join(checkout, RESULTS);
  const names = readdirSync(dir).filter((name) => name.endsWith('.json'));
  return names
    .toSorted()
    .reverse()
    .map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')) as Results);
}

/** Of each row the figure of the last run that has it, by the row's id. */
export function lastFigures(runs: readonly Results[]): Map<string, number> {
  const rows = runs.toReversed().flatMap(({ sections }) => sections.flatMap((section) => section.rows));
  return new Map(rows.map(({ id, ours }) => [id, ours.median]));
}
