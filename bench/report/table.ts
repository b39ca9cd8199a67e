import { detailsText } from './details.ts';
import { figureText, figureTextBeside } from './figure-text.ts';
import type { Goal, Row, Spread, Unit } from './row.ts';

const HEAD = '| what | ours | beside | ratio | goal | verdict |\n| --- | --- | --- | --- | --- | --- |';

/** One section's rows as a Markdown table, with what explains them under it as a list. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(lineOf).join('\n');
  const details = detailsText(rows);
  return [`${HEAD}\n${lines}`, ...(details === '' ? [] : [details])].join('\n\n');
}

/** Whether a row reaches its goal; undefined where it has none. */
export function isMet({ goal, ours, ratio }: Row): boolean | undefined {
  if (goal === undefined) return undefined;
  const spread = goal.of === 'ratio' ? ratio : ours;
  // A row whose goal is a ratio, and that has nothing beside it, has not shown anything.
  if (spread === undefined) return false;
  return goal.at === 'least' ? spread.median >= goal.value : spread.median <= goal.value;
}

/** A row that is short of its goal, in a line. */
export function shortText({ what, unit, ours, beside, ratio, goal }: Row): string {
  if (goal === undefined) return what;
  const reached = goal.of === 'figure' ? spreadText(ours, unit, goal) : ratio && ratioText(ratio, goal);
  const other = beside === undefined ? '' : `, beside ${beside.what}`;
  return `${what}${other}: ${reached ?? 'nothing beside it'}, to reach ${goalText(goal, unit)}`;
}

function lineOf(row: Row): string {
  const { what, unit, ours, beside, ratio, goal } = row;
  const other = beside === undefined ? '–' : `${spreadText(beside.figure, unit)} ${beside.what}`;
  const cells = [
    what,
    spreadText(ours, unit, goal?.of === 'figure' ? goal : undefined),
    other,
    ratio === undefined ? '–' : ratioText(ratio, goal?.of === 'ratio' ? goal : undefined),
    goal === undefined ? '–' : goalText(goal, unit),
    verdict(isMet(row)),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function verdict(met: boolean | undefined): string {
  if (met === undefined) return '–';
  return met ? 'met' : '**short**';
}

function goalText({ of, at, value }: Goal, unit: Unit): string {
  return `${at === 'least' ? '≥' : '≤'} ${figureText(value)}${of === 'ratio' ? '×' : ` ${unit}`}`;
}

function ratioText(ratio: Spread, goal?: Goal): string {
  return `${rangeText(ratio, goal)}×`;
}

function spreadText(spread: Spread, unit: Unit, goal?: Goal): string {
  return `${rangeText(spread, goal)} ${unit}`;
}

/** The median, and in brackets from the least to the greatest, if there was more than one round. */
function rangeText({ median, least, greatest, rounds }: Spread, goal?: Goal): string {
  const middle = goal === undefined ? figureText(median) : figureTextBeside(median, goal.value);
  return rounds.length === 1 ? middle : `${middle} (${figureText(least)}–${figureText(greatest)})`;
}
