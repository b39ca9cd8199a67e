/** The text of `npm run top`. Pure functions. */
import type { FleetFigures, NodeFigures, Work } from './figures.ts';

/** A line of the table of nodes. */
export type NodeRow = { name: string; services: string[] } & ({ figures: NodeFigures } | { fault: string });

const BOLD = '\x1b[1m';
const RED = '\x1b[31m';
const PLAIN = '\x1b[0m';
const MEBIBYTE_BYTES = 2 ** 20;
/** Shown in place of a figure that is not known. */
const UNKNOWN = '–';

/** Text, and whether an operator should look at it. */
interface Cell {
  text: string;
  isBad?: boolean;
}

/**
 * Returns the lines of the screen.
 * @param now the time, for the age of processes
 * @param hasColours whether figures to look at are red
 */
export function screen(nodes: readonly NodeRow[], fleet: FleetFigures, now: Date, hasColours: boolean): string[] {
  const ready = nodes.filter((node) => 'figures' in node && node.figures.isReady).length;
  const { http, http_active, outboxes, subscriptions, sagas } = fleet;
  const [per_s, failed, p99] = workCells(http);
  const time = now.toISOString().slice(11, 19);
  const counted = `${time} UTC  ${String(nodes.length)} processes, ${String(ready)} ready`;
  const requests = `HTTP ${per_s!.text}/s, ${failed!.text}/s fail, p99 ${p99!.text}, ${String(http_active)} in progress`;
  const tables = [
    table(
      ['NODE', 'SERVICES', 'STATE', 'UP', 'CPU', 'MEMORY', 'LOOP LAG', 'CALLS/S', 'FAIL/S', 'P99'],
      nodes.map((node) => nodeCells(node, now)),
    ),
    table(
      ['OUTBOX', 'PUBLISHED/S', 'WAITING', 'OLDEST'],
      outboxes.map(({ name, published_per_s, waiting, age_s }) => [
        { text: name },
        { text: decimal(published_per_s) },
        { text: String(waiting) },
        { text: duration(age_s), isBad: age_s > LATE_S },
      ]),
    ),
    table(
      ['SUBSCRIPTION', 'WAITING', 'LAG', 'DEAD LETTERS'],
      subscriptions.map(({ name, waiting, lag_s, dead_letters }) => [
        { text: name },
        { text: String(waiting) },
        { text: duration(lag_s), isBad: lag_s > LATE_S },
        { text: String(dead_letters), isBad: dead_letters > 0 },
      ]),
    ),
    table(
      ['UNFINISHED SAGA', 'STATE', 'NUMBER', 'LONGEST'],
      sagas.map(({ name, state, unfinished, age_s }) => [
        { text: name },
        { text: state },
        { text: String(unfinished) },
        { text: duration(age_s), isBad: age_s > LATE_S },
      ]),
    ),
  ];
  const lines = [`${counted}   ${requests}`, ...tables.flatMap((rows) => ['', ...rows])];
  return hasColours ? lines : lines.map(withoutColours);
}

/** What takes longer is late: the alerts begin at a minute. */
const LATE_S = 30;
/** Longer than garbage collection holds up a busy process. */
const LAG_S = 0.2;

function nodeCells(node: NodeRow, now: Date): Cell[] {
  if ('fault' in node) {
    return [
      { text: node.name },
      { text: node.services.join(' ') },
      { text: `not scraped: ${node.fault}`, isBad: true },
    ];
  }
  const { services, isReady, started_s, cpu, memory_bytes, lag_s, actions } = node.figures;
  return [
    { text: node.name },
    { text: services.replaceAll(',', ' ') || node.services.join(' ') },
    { text: isReady ? 'ready' : 'not ready', isBad: !isReady },
    { text: duration(now.getTime() / 1_000 - started_s) },
    { text: cpu === undefined ? UNKNOWN : `${(100 * cpu).toFixed(0)} %` },
    { text: `${(memory_bytes / MEBIBYTE_BYTES).toFixed(0)} MiB` },
    { text: duration(lag_s), isBad: lag_s > LAG_S },
    ...workCells(actions),
  ];
}

function workCells({ per_s, failed_per_s, p99_s }: Work): Cell[] {
  return [
    { text: decimal(per_s) },
    { text: decimal(failed_per_s), isBad: (failed_per_s ?? 0) > 0 },
    { text: p99_s === undefined ? UNKNOWN : duration(p99_s) },
  ];
}

/** Aligns the cells in columns: the first three to the left, as they are names. The last cell of a short row may be long. */
function table(headings: readonly string[], rows: readonly Cell[][]): string[] {
  const head = headings.map((text) => ({ text }));
  const widths = headings.map((_, column) =>
    Math.max(
      ...[head, ...rows].map((row) => (column === row.length - 1 ? 0 : (row[column]?.text.length ?? 0))),
      headings[column]!.length,
    ),
  );
  const line = (row: readonly Cell[], style: string) =>
    row
      .map(({ text, isBad }, column) => {
        const padded = column < row.length - 1 ? text.padEnd(widths[column]!) : text;
        return isBad === true ? RED + padded + PLAIN : style + padded + (style === '' ? '' : PLAIN);
      })
      .join('  ');
  return [line(head, BOLD), ...(rows.length === 0 ? ['none'] : rows.map((row) => line(row, '')))];
}

function withoutColours(line: string): string {
  return line.replaceAll(BOLD, '').replaceAll(RED, '').replaceAll(PLAIN, '');
}

function decimal(value: number | undefined): string {
  return value === undefined ? UNKNOWN : value.toFixed(1);
}

/** Returns a duration with two digits that matter, such as 9 ms, 1.5 s, 12 min or 3 d. */
export function duration(seconds: number): string {
  if (seconds < 1) return `${(seconds * 1_000).toFixed(0)} ms`;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${seconds.toFixed(0)} s`;
  if (seconds < 7_200) return `${(seconds / 60).toFixed(0)} min`;
  return seconds < 172_800 ? `${(seconds / 3_600).toFixed(0)} h` : `${(seconds / 86_400).toFixed(0)} d`;
}
