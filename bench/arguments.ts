/** What `npm run bench` is asked for. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { StartupError } from '../lib/config/startup-error.ts';
import type { Bench, Section } from './section.ts';

/** An odd number, so that the median is a round that was measured. */
const DEFAULT_ROUNDS = 3;
/** Some hundred flushes on a slow disk; with three rounds, the whole benchmark takes about 20 minutes. */
const DEFAULT_ROUND_MS = 2_000;

interface Option {
  type: 'string' | 'boolean';
  /** What follows it. */
  value?: string;
  says: string;
}

const OPTIONS = {
  only: { type: 'string', value: 'ID,ID', says: 'measures these sections alone' },
  simulations: { type: 'boolean', says: 'also measures the sections that docs/scaling.md goes by' },
  rounds: {
    type: 'string',
    value: 'N',
    says: `how often each pair is measured in turn; ${String(DEFAULT_ROUNDS)} if absent`,
  },
  'round-ms': {
    type: 'string',
    value: 'N',
    says: `how long one figure is measured, in milliseconds; ${String(DEFAULT_ROUND_MS)} if absent`,
  },
  pgledger: {
    type: 'string',
    value: 'DIR',
    says: "also measures beside pgledger; DIR holds its pgledger.sql, and the two ULID functions' files",
  },
  'ten-million': { type: 'boolean', says: 'also measures growth with 10 million transfers there, which takes long' },
  help: { type: 'boolean', says: 'prints this' },
} as const satisfies Record<string, Option>;

/** What is to be measured, and how; or the text that was asked for instead. */
export type Wanted = { help: string } | { bench: Omit<Bench, 'log'>; sections: readonly Section[] };

/** @throws {StartupError} in one line for what is not an option or not a section, naming those that are */
export function readArguments(args: string[], sections: readonly Section[]): Wanted {
  const values = parse(args);
  if (values.help === true) return { help: helpText(sections) };
  const {
    only,
    simulations = false,
    rounds,
    'round-ms': round_ms,
    pgledger,
    'ten-million': tenMillion = false,
  } = values;
  if (pgledger !== undefined && !existsSync(join(pgledger, 'pgledger.sql'))) {
    throw new StartupError('--pgledger takes a directory with pgledger.sql in it.');
  }
  const bench = {
    rounds: numberIn('--rounds', rounds, DEFAULT_ROUNDS),
    round_ms: numberIn('--round-ms', round_ms, DEFAULT_ROUND_MS),
    pgledgerDir: pgledger,
    tenMillion,
  };
  if (only !== undefined) return { bench, sections: chosen(only.split(','), sections) };
  return { bench, sections: sections.filter(({ isSimulation }) => simulations || isSimulation !== true) };
}

function parse(args: string[]) {
  const { tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'option' && !Object.hasOwn(OPTIONS, token.name)) {
      const known = Object.keys(OPTIONS).map((name) => `--${name}`);
      throw new StartupError(`There is no option ${token.rawName}; there are ${known.join(', ')}.`);
    }
  }
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new StartupError(`${line} (--help names the options)`);
  }
}

function chosen(ids: readonly string[], sections: readonly Section[]): Section[] {
  const unknown = ids.find((id) => !sections.some((section) => section.id === id));
  if (unknown !== undefined) {
    const known = sections.map(({ id }) => id).join(', ');
    throw new StartupError(`There is no section ${JSON.stringify(unknown)}; there are ${known}.`);
  }
  return sections.filter(({ id }) => ids.includes(id));
}

function numberIn(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new StartupError(`${option} takes a whole number from 1 to 9999999.`);
  return Number(text);
}

function helpText(sections: readonly Section[]): string {
  const options = Object.entries<Option>(OPTIONS).map(([name, { value, says }]): Line => {
    return [value === undefined ? `--${name}` : `--${name} ${value}`, says];
  });
  const ids = sections.map(({ id, title, isSimulation }): Line => {
    return [id, isSimulation === true ? `${title} (with --simulations)` : title];
  });
  return `Usage: npm run bench -- [options]\n\nOptions:\n${columns(options)}\n\nSections:\n${columns(ids)}`;
}

type Line = [left: string, right: string];

function columns(lines: readonly Line[]): string {
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
