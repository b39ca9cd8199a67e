import { constants } from 'node:os';
import { StartupError } from '../lib/config/startup-error.ts';
import { leaveNothingBehind } from './apparatus/leftovers.ts';
import { readArguments } from './arguments.ts';
import { aboutMachine } from './report/machine.ts';
import { writeResults } from './report/results.ts';
import type { Results, SectionResult } from './report/results.ts';
import { countStolen } from './report/stolen-time.ts';
import type { Bench, Section } from './section.ts';
import { sections } from './sections.ts';

const MS_PER_S = 1_000;
/** What shells add to the number of the signal that a command was ended by. */
const SIGNAL_EXIT_CODE = 128;

/** The file with what was measured so far. */
let written: string | undefined;

/** npm run bench: measures everything, prints the table and writes it to bench/results. */
async function main(): Promise<void> {
  const wanted = readArguments(process.argv.slice(2), sections);
  if ('help' in wanted) {
    console.log(wanted.help);
    return;
  }
  const bench: Bench = { ...wanted.bench, log: (line) => process.stderr.write(`${line}\n`) };
  endsWithAllThatItStarts(bench.log);
  const results: Results = {
    at: new Date().toISOString(),
    machine: await aboutMachine(bench.log),
    options: optionsOf(bench, wanted.sections),
    left_out: leftOut(bench, wanted.sections),
    sections: [],
    not_measured: wanted.sections.map(({ id }) => id),
  };
  let markdown = '';
  for (const section of wanted.sections) {
    results.sections.push(await measure(bench, section));
    results.not_measured.shift();
    // Whatever comes of the next ones, this one is kept.
    ({ markdown, name: written } = writeResults(results));
  }
  console.log(markdown);
  const failed = results.sections.filter(({ error }) => error !== undefined).map(({ id }) => id);
  bench.log(`Written to ${written ?? 'nowhere'}.`);
  if (failed.length === 0) return;
  bench.log(`Failed: ${failed.join(', ')}.`);
  process.exitCode = 1;
}

/** On a signal the run is over at once; what it has started is ended as on any other exit. */
function endsWithAllThatItStarts(log: Bench['log']): void {
  leaveNothingBehind();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // For good: npm passes on a Ctrl-C that the terminal has sent already, and the second must not cut the end short.
    process.on(signal, () => {
      log(`${signal}: stopping. ${written === undefined ? 'No section was done.' : `What was done is in ${written}.`}`);
      process.exit(SIGNAL_EXIT_CODE + constants.signals[signal]);
    });
  }
}

function optionsOf({ rounds, round_ms, pgledgerDir, tenMillion }: Bench, wanted: readonly Section[]) {
  const only = wanted.map(({ id }) => id);
  return { only, rounds, round_ms, pgledger: pgledgerDir !== undefined, ten_million: tenMillion };
}

function leftOut({ pgledgerDir, tenMillion }: Bench, wanted: readonly Section[]): string[] {
  const others = sections.filter((section) => !wanted.includes(section));
  const named = (isSimulation: boolean) =>
    others.filter((section) => (section.isSimulation ?? false) === isSimulation).map(({ id }) => id);
  const [measurements, simulations] = [named(false), named(true)];
  return [
    ...(measurements.length === 0 ? [] : [`the sections ${measurements.join(', ')}`]),
    ...(simulations.length === 0 ? [] : [`the simulations ${simulations.join(', ')} (--simulations)`]),
    ...(pgledgerDir === undefined ? ['what is beside pgledger (--pgledger DIR)'] : []),
    ...(tenMillion ? [] : ['growth to 10 million (--ten-million)']),
  ];
}

/** Never throws: the sections after one that failed are measured all the same. */
async function measure(bench: Bench, { id, title, measure: rowsOf }: Section): Promise<SectionResult> {
  bench.log(`${id}: ${title}`);
  const began_ms = performance.now();
  const stolenShare = countStolen();
  const meanwhile = () => ({ seconds: (performance.now() - began_ms) / MS_PER_S, stolen_share: stolenShare() });
  try {
    const rows = await rowsOf(bench);
    return { id, title, ...meanwhile(), rows };
  } catch (error) {
    const line = lineOf(error);
    bench.log(`${id} failed: ${line}`);
    return { id, title, ...meanwhile(), rows: [], error: line };
  }
}

/** The first line of what went wrong. Where stopping failed as well, that came of it, or matters less. */
function lineOf(error: unknown): string {
  if (error instanceof SuppressedError) return lineOf(error.suppressed);
  // Such as a connection that was refused at each of a host's addresses; it says nothing itself.
  if (error instanceof AggregateError && error.message === '') return lineOf(error.errors[0]);
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof StartupError ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
