import { constants } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '../lib/config/startup-error.ts';
import { readArguments } from './arguments.ts';
import { compareCheckouts } from './compare.ts';
import { leaveNothingBehind } from './harness/leftovers.ts';
import { describeMachine } from './report/machine.ts';
import { lastFigures, readResults, writeResults, type Results, type SectionResult } from './report/results.ts';
import { markdownOf } from './report/table.ts';
import type { Bench, Section } from './section.ts';
import { sections } from './sections.ts';

/** Shells add this to the number of the signal that ended a command. */
const SIGNAL_EXIT_CODE = 128;

const log = (line: string) => void process.stderr.write(`${line}\n`);

/** Runs the benchmark, prints the table and writes the figures to bench/results. */
async function main(): Promise<void> {
  const wanted = readArguments(process.argv.slice(2), sections);
  if (typeof wanted === 'string') {
    console.log(wanted);
    return;
  }
  leaveNothingBehind();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => process.exit(SIGNAL_EXIT_CODE + constants.signals[signal]));
  }
  const bench = { ...wanted.bench, log };
  if (wanted.beside === undefined) await measureAll(bench, wanted.sections);
  else {
    const directories = { here: join(import.meta.dirname, '..'), there: wanted.beside };
    console.log(await compareCheckouts(bench, wanted.sections, directories));
  }
}

async function measureAll(bench: Bench, wanted: readonly Section[]): Promise<void> {
  const last = lastFigures(readResults());
  const { rounds, round_ms } = bench;
  const machine = await describeMachine(log);
  const results: Results = { at: new Date().toISOString(), machine, options: { rounds, round_ms }, sections: [] };
  for (const section of wanted) {
    results.sections.push(await measure(bench, section));
    // Written after each section, so that an interrupted run keeps its results.
    log(`Written to ${writeResults(results)}.`);
  }
  console.log(markdownOf(results, last));
  if (results.sections.some(({ error }) => error !== undefined)) process.exitCode = 1;
}

/** Measures a section. It never throws, so that later sections are measured after a failure. */
async function measure(bench: Bench, { id, title, measure: rowsOf }: Section): Promise<SectionResult> {
  log(`${id}: ${title}`);
  try {
    return { id, title, rows: await rowsOf(bench) };
  } catch (error) {
    const line = lineOf(error);
    log(`${id} failed: ${line}`);
    return { id, title, rows: [], error: line };
  }
}

/** Returns the first line of an error. An error while stopping is less important than the error before it. */
function lineOf(error: unknown): string {
  if (error instanceof SuppressedError) return lineOf(error.suppressed);
  // Node reports a connection that all addresses of a host refused as an AggregateError without a message.
  if (error instanceof AggregateError && error.message === '') return lineOf(error.errors[0]);
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

try {
  await main();
} catch (error) {
  log(error instanceof StartupError ? error.message : String((error as Error).stack));
  process.exitCode = 1;
}
