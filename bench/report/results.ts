import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import type { Row } from './row.ts';

/** Folder of the runs in a checkout. The name of a file is the time of its run, so that names sort by time. */
const RESULTS = join('bench', 'results');
const ROOT = join(import.meta.dirname, '..', '..');
const INDENT_SPACES = 2;

export interface SectionResult {
  id: string;
  title: string;
  rows: Row[];
  /** The reason for missing rows, in one line. */
  error?: string;
}

/** The results of a run so far. */
export interface Results {
  /** Start of the run (RFC 3339, UTC). */
  at: string;
  machine: Machine;
  options: { rounds: number; round_ms: number };
  sections: SectionResult[];
}

/**
 * Writes the results so far and replaces the earlier file of the run atomically.
 * @returns the path of the file in the project
 */
export function writeResults(results: Results): string {
  const name = join(RESULTS, `${results.at.replace(/\.\d+/, '').replaceAll(':', '-')}.json`);
  mkdirSync(join(ROOT, RESULTS), { recursive: true });
  writeFileSync(join(ROOT, `${name}.draft`), `${JSON.stringify(results, null, INDENT_SPACES)}\n`);
  renameSync(join(ROOT, `${name}.draft`), join(ROOT, name));
  return name;
}

/** Reads the runs in bench/results of a checkout, the most recent first. */
export function readResults(checkout = ROOT): Results[] {
  const dir = join(checkout, RESULTS);
  const names = readdirSync(dir).filter((name) => name.endsWith('.json'));
  return names
    .toSorted()
    .reverse()
    .map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')) as Results);
}

/** Returns the figure of each row in the most recent run that has the row, by the row's id. */
export function lastFigures(runs: readonly Results[]): Map<string, number> {
  const rows = runs.toReversed().flatMap(({ sections }) => sections.flatMap((section) => section.rows));
  return new Map(rows.map(({ id, ours }) => [id, ours.median]));
}
