import type { Results, SectionResult } from './results.ts';
import type { Goal, Row, Spread, Unit } from './row.ts';

/** Significant digits; a benchmark is not more precise. */
const DIGITS = 3;

/** Returns a run as Markdown: the missed goals, the conditions, and a table for each section. */
export function markdownOf(results: Results, last: ReadonlyMap<string, number>): string {
  const { at, machine, options, sections } = results;
  const rows = sections.flatMap((section) => section.rows);
  const short = rows.filter((row) => isMet(row) === false);
  const failed = sections.filter(({ error }) => error !== undefined);
  const met = rows.filter((row) => isMet(row) === true).length;
  return [
    `# Benchmark of ${at}`,
    [
      `**${String(met)} met, ${String(short.length)} short**, ${String(rows.length - met - short.length)} without a goal`,
      ...short.map(
        (row) => `- short: ${row.what}${row.baseline === undefined ? '' : `, baseline ${row.baseline.what}`}`,
      ),
      ...failed.map(({ id, error = '' }) => `- failed: ${id}: ${error}`),
    ].join('\n'),
    [
      `- ${machine.hardware}; an 8 KiB flush takes ${String(machine.flush_us)} µs, the longest in 10 s ${String(machine.longest_flush_ms)} ms`,
      `- ${machine.software}, commit ${machine.commit}`,
      `- ${String(options.rounds)} rounds of ${String(options.round_ms)} ms: the median, in brackets the least and the greatest`,
      '- ratio: ours ÷ baseline within each round; for /s more is better, for all other units less',
      '- last: the figure of the last run in bench/results',
    ].join('\n'),
    ...sections.map((section) => sectionText(section, last)),
  ].join('\n\n');
}

function sectionText({ title, rows, error }: SectionResult, last: ReadonlyMap<string, number>): string {
  if (error !== undefined) return `## ${title}\n\nFailed: ${error}`;
  const head = ['what', 'ours', 'last', 'baseline', 'ratio', 'goal', 'verdict'];
  const details = rows.flatMap(({ id, details: figures = {} }) => {
    const texts = Object.entries(figures).map(([name, figure]) => `${name} ${figureText(figure)}`);
    return texts.length === 0 ? [] : [`- ${id}: ${texts.join(', ')}`];
  });
  const table = tableText(
    head,
    rows.map((row) => cellsOf(row, last.get(row.id))),
  );
  return [`## ${title}`, table, ...(details.length === 0 ? [] : [details.join('\n')])].join('\n\n');
}

export function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Whether a row reaches its goal; undefined if it has no goal. */
export function isMet({ goal, ours, ratio }: Row): boolean | undefined {
  if (goal === undefined) return undefined;
  const spread = goal.of === 'ratio' ? ratio : ours;
  if (spread === undefined) return false;
  return goal.at === 'least' ? spread.median >= goal.value : spread.median <= goal.value;
}

function cellsOf(row: Row, last: number | undefined): string[] {
  const { what, unit, ours, baseline, ratio, goal } = row;
  const met = isMet(row);
  return [
    what,
    `${spreadText(ours)} ${unit}`,
    last === undefined ? '–' : figureText(last),
    baseline === undefined ? '–' : `${spreadText(baseline.figure)} ${unit} ${baseline.what}`,
    ratio === undefined ? '–' : `${spreadText(ratio)}×`,
    goal === undefined ? '–' : goalText(goal, unit),
    met === undefined ? '–' : met ? 'met' : '**short**',
  ];
}

function goalText({ of, at, value }: Goal, unit: Unit): string {
  return `${at === 'least' ? '≥' : '≤'} ${figureText(value)}${of === 'ratio' ? '×' : ` ${unit}`}`;
}

/** Returns the median, followed by the range in brackets if there was more than one round. */
function spreadText({ median, least, greatest, rounds }: Spread): string {
  const middle = figureText(median);
  return rounds.length === 1 ? middle : `${middle} (${figureText(least)}–${figureText(greatest)})`;
}

/** Returns a number with three significant digits; narrow spaces separate thousands. */
export function figureText(value: number): string {
  if (value === 0) return '0';
  const fractional = Math.max(0, DIGITS - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en', { maximumFractionDigits: fractional }).replaceAll(',', '\u202f');
}
