import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import type { Row } from './row.ts';
import { tableOf } from './table.ts';

const RESULTS_DIR = join(import.meta.dirname, '..', 'results');
const INDENT_SPACES = 2;

/** What became of one section. */
export interface SectionResult {
  id: string;
  title: string;
  seconds: number;
  rows: Row[];
  /** Why it has no rows, in one line. */
  error?: string;
}

/** One run of the benchmark. */
export interface Results {
  /** RFC 3339 in UTC. */
  at: string;
  machine: Machine;
  options: { rounds: number; round_ms: number; pgledger: boolean; ten_million: boolean };
  sections: SectionResult[];
}

/** The run as Markdown. */
export function markdownOf({ at, machine, options, sections }: Results): string {
  const facts = [
    `${machine.cpu}, ${String(machine.cores)} cores, ${String(machine.memory_mib)} MiB`,
    `${machine.kernel}, ${machine.file_system}, an 8 KiB flush takes ${String(machine.flush_us)} µs`,
    `Node ${machine.node}, PostgreSQL ${machine.postgres}, NATS ${machine.nats}, commit ${machine.commit}`,
    `rounds: ${String(options.rounds)} of ${String(options.round_ms)} ms; medians, in brackets the least and the greatest`,
  ];
  const head = `# Benchmark of ${at}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}`;
  return `${[head, ...sections.map(sectionText)].join('\n\n')}\n`;
}

function sectionText({ title, rows, seconds, error }: SectionResult): string {
  const body = error === undefined ? tableOf(rows) : `Failed: ${error}`;
  return `## ${title}\n\n${body}\n\nTook ${String(Math.round(seconds))} s.`;
}

/** Writes the run into bench/results, named by its time, as Markdown and as JSON; gives the Markdown. */
export async function writeResults(results: Results): Promise<string> {
  const name = results.at.replace(/\.\d+/, '').replaceAll(':', '-');
  const markdown = markdownOf(results);
  await mkdir(RESULTS_DIR, { recursive: true });
  await writeFile(join(RESULTS_DIR, `${name}.md`), markdown);
  await writeFile(join(RESULTS_DIR, `${name}.json`), `${JSON.stringify(results, null, INDENT_SPACES)}\n`);
  return markdown;
}
