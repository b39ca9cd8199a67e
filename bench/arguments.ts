/** The arguments of `npm run bench`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { StartupError } from '../lib/config/startup-error.ts';
import type { Bench, Section } from './section.ts';

/** An odd number, so that the median is a round that was measured. */
const ROUNDS = '3';
/** About a hundred flushes on a slow disk. */
const ROUND_MS = '2000';
const HISTORY = '1000000';

const OPTIONS = {
  beside: { type: 'string' },
  rounds: { type: 'string', default: ROUNDS },
  'round-ms': { type: 'string', default: ROUND_MS },
  history: { type: 'string', default: HISTORY },
  pgledger: { type: 'string' },
  only: { type: 'string', default: '' },
  help: { type: 'boolean' },
} as const;

const HELP = `Usage: npm run bench -- [options] [section ...]

Options:
  --beside DIR    compares with another checkout (with its node_modules), measured in turn with this one
  --rounds N      number of rounds in which each figure is measured; default ${ROUNDS}
  --round-ms N    length of a round in milliseconds; default ${ROUND_MS}
  --history N     number of transfers and contributions before growth is measured; default ${HISTORY}
  --pgledger DIR  compares the ledger with pgledger; DIR is a copy of its repository
  --only ID,ID    like naming sections

Sections:
`;

export interface Wanted {
  bench: Omit<Bench, 'log'>;
  sections: readonly Section[];
  /** Directory of the other checkout, which is measured in turn with this one. */
  beside: string | undefined;
}

/**
 * Reads the arguments.
 * @returns what to measure, or the help text
 * @throws StartupError with a message of one line for an unknown or wrong option and an unknown section
 */
export function readArguments(args: string[], sections: readonly Section[]): Wanted | string {
  const { values, positionals } = parse(args);
  if (values.help === true)
    return (
      HELP +
      sections
        .map(
          ({ id, title, isOnRequest }) =>
            `  ${id.padEnd(25)}${title}${isOnRequest === true ? '; only if named' : ''}\n`,
        )
        .join('')
    );
  const { beside, pgledger } = values;
  expectFile('--pgledger', pgledger, 'pgledger.sql');
  expectFile('--beside', beside, join('bench', 'run.ts'));
  const ids = [...positionals, ...values.only.split(',').filter((id) => id !== '')];
  const unknown = ids.find((id) => !sections.some((section) => section.id === id));
  if (unknown !== undefined) {
    throw new StartupError(`There is no section ${unknown}; there are ${sections.map(({ id }) => id).join(', ')}.`);
  }
  return {
    bench: {
      rounds: numberOf('--rounds', values.rounds),
      round_ms: numberOf('--round-ms', values['round-ms']),
      history: numberOf('--history', values.history),
      pgledgerDir: pgledger,
    },
    sections:
      ids.length === 0
        ? sections.filter(({ isOnRequest }) => isOnRequest !== true)
        : sections.filter(({ id }) => ids.includes(id)),
    beside,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new StartupError(`${line} (--help names the options)`);
  }
}

function numberOf(option: string, text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new StartupError(`${option} takes a whole number from 1 to 99999999.`);
  return Number(text);
}

function expectFile(option: string, dir: string | undefined, file: string): void {
  if (dir === undefined || existsSync(join(dir, file))) return;
  throw new StartupError(`${option} takes a directory that has ${file}.`);
}
