import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { legendOf } from './legend.ts';
import type { Machine } from './machine.ts';
import type { Row } from './row.ts';
import { isMet, shortText, tableOf } from './table.ts';

const RESULTS_DIR = join(import.meta.dirname, '..', 'results');
/** For people: as it is from the project's root. */
const RESULTS_NAME = 'bench/results';
const INDENT_SPACES = 2;

/** What became of one section. */
export interface SectionResult {
  id: string;
  title: string;
  seconds: number;
  /** Of the CPU time meanwhile, what the machine's host gave to others, 0 to 1; where the system says it. */
  stolen_share?: number | undefined;
  rows: Row[];
  /** Why it has no rows, in one line. */
  error?: string;
}

/** One run of the benchmark, as far as it has come. */
export interface Results {
  /** RFC 3339 in UTC. */
  at: string;
  machine: Machine;
  options: {
    /** The ids of those that are measured. */
    only: string[];
    rounds: number;
    round_ms: number;
    pgledger: boolean;
    ten_million: boolean;
  };
  /** What the options leave out, each in words. */
  left_out: string[];
  sections: SectionResult[];
  /** The ids of the sections that were asked for and not measured (yet); none when the run is done. */
  not_measured: string[];
}

/** The run as Markdown. */
export function markdownOf(results: Results): string {
  const { at, sections, not_measured } = results;
  const rows = sections.flatMap((section) => section.rows);
  const legend = legendOf(rows);
  const parts = [
    `# Benchmark of ${at}`,
    ...(not_measured.length === 0 ? [] : [`**Not complete.** Not measured: ${not_measured.join(', ')}.`]),
    summaryOf(sections),
    conditionsOf(results),
    ...(legend === '' ? [] : [`Words:\n\n${legend}`]),
    ...sections.map(sectionText),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** How many rows have reached their goals, and which have not. */
function summaryOf(sections: readonly SectionResult[]): string {
  const rows = sections.flatMap((section) => section.rows);
  const short = rows.filter((row) => isMet(row) === false);
  const failed = sections.filter(({ error }) => error !== undefined);
  const met = rows.filter((row) => isMet(row) === true).length;
  const others = rows.length - met - short.length;
  const counts = `**${String(met)} met, ${String(short.length)} short**, ${String(others)} without a goal`;
  const lines = [
    ...short.map((row) => `- short: ${shortText(row)}`),
    ...failed.map(({ id, error = '' }) => `- failed: ${id}: ${error}`),
  ];
  return lines.length === 0 ? `${counts}.` : `${counts}:\n\n${lines.join('\n')}`;
}

function conditionsOf({ machine, options, left_out }: Results): string {
  const facts = [
    `${machine.cpu}, ${String(machine.cores)} cores, ${String(machine.memory_mib)} MiB`,
    `${machine.kernel}, ${machine.file_system}, an 8 KiB flush takes ${String(machine.flush_us)} µs`,
    `Node ${machine.node}, PostgreSQL ${machine.postgres}, NATS ${machine.nats}, commit ${machine.commit}`,
    `options: \`${optionsText(options)}\``,
    ...(left_out.length === 0 ? [] : [`left out: ${left_out.join('; ')}`]),
    options.rounds === 1
      ? 'figures: of one round'
      : 'figures: the median over the rounds, in brackets the least and the greatest',
    'ratio: ours ÷ beside within each round, then the median over the rounds, which need not be the ratio of the two ' +
      'medians; for /s more is better, for all other units less',
  ];
  return `Where and how:\n\n${facts.map((fact) => `- ${fact}`).join('\n')}`;
}

/** As they would be given again; where pgledger's files are is nobody's business. */
function optionsText({ only, rounds, round_ms, pgledger, ten_million }: Results['options']): string {
  return [
    `--only ${only.join(',')} --rounds ${String(rounds)} --round-ms ${String(round_ms)}`,
    ...(pgledger ? ['--pgledger DIR'] : []),
    ...(ten_million ? ['--ten-million'] : []),
  ].join(' ');
}

function sectionText({ title, rows, seconds, stolen_share, error }: SectionResult): string {
  const body = error === undefined ? tableOf(rows) : `Failed: ${error}`;
  const stolen =
    stolen_share === undefined
      ? ''
      : `; the machine's host gave ${(stolen_share * 100).toFixed(1)} % of its CPU time to others`;
  return `## ${title}\n\n${body}\n\nTook ${String(Math.round(seconds))} s${stolen}.`;
}

/**
 * Writes the run into bench/results, named by its time, as Markdown and as JSON, in the place of what was written of it
 * before. Nothing comes in between, be it a signal.
 * @returns the Markdown, and its file's name from the project's root
 */
export function writeResults(results: Results): { markdown: string; name: string } {
  const name = results.at.replace(/\.\d+/, '').replaceAll(':', '-');
  const markdown = markdownOf(results);
  mkdirSync(RESULTS_DIR, { recursive: true });
  replaceFile(join(RESULTS_DIR, `${name}.md`), markdown);
  replaceFile(join(RESULTS_DIR, `${name}.json`), `${JSON.stringify(results, null, INDENT_SPACES)}\n`);
  return { markdown, name: `${RESULTS_NAME}/${name}.md` };
}

function replaceFile(path: string, text: string): void {
  const draft = `${path}.draft`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
