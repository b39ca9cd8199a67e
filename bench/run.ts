import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { StartupError } from '../lib/config/startup-error.ts';
import { aboutMachine } from './report/machine.ts';
import { writeResults } from './report/results.ts';
import type { SectionResult } from './report/results.ts';
import type { Bench, Section } from './section.ts';
import { sections } from './sections.ts';

const USAGE =
  'Usage: npm run bench -- [--only id,id] [--simulations] [--rounds N] [--round-ms N] [--pgledger DIR] [--ten-million]';

/** An odd number, so that the median is a round that was measured. */
const DEFAULT_ROUNDS = 3;
/** Some hundred flushes on a slow disk; with three rounds, the whole benchmark takes about 20 minutes. */
const DEFAULT_ROUND_MS = 2_000;
const MS_PER_S = 1_000;

interface Wanted {
  bench: Bench;
  sections: readonly Section[];
}

/** npm run bench: measures everything, prints the table and writes it to bench/results. */
async function main(): Promise<void> {
  const { bench, sections: chosen } = readArguments();
  const at = new Date().toISOString();
  const machine = await aboutMachine(bench.log);
  const measured: SectionResult[] = [];
  for (const section of chosen) measured.push(await measure(bench, section));
  const { rounds, round_ms, pgledgerDir, tenMillion } = bench;
  const options = { rounds, round_ms, pgledger: pgledgerDir !== undefined, ten_million: tenMillion };
  console.log(await writeResults({ at, machine, options, sections: measured }));
  if (measured.some(({ error }) => error !== undefined)) process.exitCode = 1;
}

/** Never throws: the sections after one that failed are measured all the same. */
async function measure(bench: Bench, { id, title, measure: rowsOf }: Section): Promise<SectionResult> {
  bench.log(`${id}: ${title}`);
  const began_ms = performance.now();
  const seconds = (): number => (performance.now() - began_ms) / MS_PER_S;
  try {
    const rows = await rowsOf(bench);
    return { id, title, seconds: seconds(), rows };
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    bench.log(`${id} failed: ${line}`);
    return { id, title, seconds: seconds(), rows: [], error: line };
  }
}

/** @throws StartupError in one line for what is not an option */
function readArguments(): Wanted {
  const { only, simulations, rounds, 'round-ms': round_ms, pgledger, 'ten-million': tenMillion } = parse();
  const bench: Bench = {
    rounds: numberIn('--rounds', rounds, DEFAULT_ROUNDS),
    round_ms: numberIn('--round-ms', round_ms, DEFAULT_ROUND_MS),
    pgledgerDir: pgledger,
    tenMillion: tenMillion ?? false,
    log: (line) => process.stderr.write(`${line}\n`),
  };
  if (pgledger !== undefined && !existsSync(join(pgledger, 'pgledger.sql'))) {
    throw new StartupError('--pgledger takes a directory with pgledger.sql in it.');
  }
  if (only === undefined) return { bench, sections: sections.filter((each) => simulations || !each.isSimulation) };
  const ids = only.split(',');
  const unknown = ids.find((id) => !sections.some((section) => section.id === id));
  if (unknown !== undefined) {
    throw new StartupError(`No section ${unknown}; there are ${sections.map(({ id }) => id).join(', ')}.`);
  }
  return { bench, sections: sections.filter(({ id }) => ids.includes(id)) };
}

function parse() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string' },
        simulations: { type: 'boolean' },
        rounds: { type: 'string' },
        'round-ms': { type: 'string' },
        pgledger: { type: 'string' },
        'ten-million': { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new StartupError(`${line} ${USAGE}`);
  }
}

function numberIn(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new StartupError(`${option} takes a whole number above zero. ${USAGE}`);
  return Number(text);
}

// Servers that this process runs are stopped when it exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof StartupError ? error.message : String((error as Error).stack)}\n`);
  process.exitCode = 1;
}
