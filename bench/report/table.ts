import type { Goal, Row, Spread, Unit } from './row.ts';

const HEAD = '| what | ours | beside | ratio | goal | |\n| --- | --- | --- | --- | --- | --- |';

/** One section's rows as a Markdown table, with the details under it as a list. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(lineOf).join('\n');
  const notes = rows.filter(({ details }) => details !== undefined).map(noteOf);
  return [`${HEAD}\n${lines}`, ...(notes.length === 0 ? [] : [notes.join('\n')])].join('\n\n');
}

/** Whether a row reaches its goal; undefined where it has none. */
export function isMet({ goal, ours, ratio }: Row): boolean | undefined {
  if (goal === undefined) return undefined;
  const spread = goal.of === 'ratio' ? ratio : ours;
  // A row whose goal is a ratio, and that has nothing beside it, has not shown anything.
  if (spread === undefined) return false;
  return goal.at === 'least' ? spread.median >= goal.value : spread.median <= goal.value;
}

function lineOf(row: Row): string {
  const { what, unit, ours, beside, ratio, goal } = row;
  const other = beside === undefined ? '–' : `${spreadText(beside.figure, unit)} ${beside.what}`;
  const cells = [
    what,
    spreadText(ours, unit),
    other,
    ratio === undefined ? '–' : `${spreadText(ratio)}×`,
    goal === undefined ? '–' : goalText(goal, unit),
    verdict(isMet(row)),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function verdict(met: boolean | undefined): string {
  if (met === undefined) return '';
  return met ? 'met' : '**short**';
}

function noteOf({ what, details = {} }: Row): string {
  const facts = Object.entries(details).map(([name, value]) => {
    return `${name} ${typeof value === 'number' ? figureText(value) : value}`;
  });
  return `- <sub>${what}: ${facts.join(', ')}</sub>`;
}

function goalText({ of, at, value }: Goal, unit: Unit): string {
  return `${at === 'least' ? '≥' : '≤'} ${figureText(value)}${of === 'ratio' ? '×' : ` ${unit}`}`;
}

/** The median, and in brackets from the least to the greatest. */
function spreadText({ median, least, greatest }: Spread, unit?: Unit): string {
  const range = `${figureText(median)} (${figureText(least)}–${figureText(greatest)})`;
  return unit === undefined ? range : `${range} ${unit}`;
}

/** Three digits that count are all that a benchmark can stand for; thousands are set apart by narrow spaces. */
function figureText(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const [whole = '', fraction] = value.toFixed(digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  const decimals = fraction?.replace(/0+$/, '') ?? '';
  return decimals === '' ? grouped : `${grouped}.${decimals}`;
}
