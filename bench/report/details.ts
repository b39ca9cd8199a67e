import { figureText } from './figure-text.ts';
import type { Row } from './row.ts';

/** The units at the ends of the details' names, as they are written after a figure. */
const UNITS: readonly (readonly [ending: string, unit: string])[] = [
  ['per_s', '/s'],
  ['us', 'µs'],
  ['ms', 'ms'],
  ['bytes', 'bytes'],
  ['cores', 'cores'],
];

/** Names that begin with one of these, or with anything and a colon, are told together. */
const GROUPS = ['ours', 'plain', 'pgledger', 'bare', 'partitioned'];

interface Detail {
  /** Empty for what has no group. */
  group: string;
  text: string;
}

/** What explains the rows' figures, as a Markdown list: an entry for each row, and in it one for each group of them. */
export function detailsText(rows: readonly Row[]): string {
  const entries = rows.flatMap(({ what, beside, details = {} }) => {
    const all = Object.entries(details).map(([name, value]) => detailOf(name, value));
    if (all.length === 0) return [];
    const name = beside === undefined ? what : `${what}, beside ${beside.what}`;
    return [`- ${name}\n${linesOf(all).join('\n')}`];
  });
  return entries.length === 0 ? '' : `What explains these figures:\n\n${entries.join('\n')}`;
}

function linesOf(details: readonly Detail[]): string[] {
  return [...Map.groupBy(details, ({ group }) => group)].map(([group, members]) => {
    const text = members.map((member) => member.text).join(', ');
    return group === '' ? `  - ${text}` : `  - ${group}: ${text}`;
  });
}

function detailOf(key: string, value: number | string): Detail {
  const [group, name] = groupOf(key);
  if (typeof value === 'string') return { group, text: `${wordsOf(name)} = ${value}` };
  for (const [ending, unit] of UNITS) {
    if (name !== ending && !name.endsWith(`_${ending}`)) continue;
    const words = wordsOf(name.slice(0, -ending.length));
    const figure = `${figureText(value)} ${unit}`;
    return { group, text: words === '' ? figure : `${words} = ${figure}` };
  }
  return { group, text: `${wordsOf(name)} = ${figureText(value)}` };
}

function groupOf(key: string): [group: string, name: string] {
  const [before = '', after] = key.split(': ');
  if (after !== undefined) return [before, after];
  const group = GROUPS.find((each) => key.startsWith(`${each}_`));
  return group === undefined ? ['', key] : [group, key.slice(group.length + 1)];
}

function wordsOf(name: string): string {
  return name.replaceAll('_', ' ').trim();
}
