import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Group } from './group.ts';
import { insist } from './group.ts';
import { chapter, say } from './narrator.ts';
import type { Person } from './person.ts';

/** Date, movement, round, method, paid in, paid out, balance. */
const SHOWN_COLUMNS = [0, 2, 3, 7, 8, 9, 10];
const COLUMN_WIDTHS = [12, 18, 7, 8, 10, 10, 10];

/** A member's statement, as CSV and as PDF. */
export async function statement(group: Group, person: Person): Promise<void> {
  chapter('A statement, as CSV and as PDF');
  const path = `${group.path}/statement`;
  const csv = (await person.file(path, 'text/csv')).toString();
  const rows = csv.replace('\uFEFF', '').trimEnd().split('\r\n').map(shown);
  say(`${person.name}'s statement of "${group.name}" as CSV, without some of its columns:\n${rows.join('\n')}`);
  const pdf = await person.file(path, 'application/pdf');
  insist(pdf.subarray(0, 5).toString() === '%PDF-', 'the statement is no PDF');
  const file = join(tmpdir(), 'association-statement.pdf');
  await writeFile(file, pdf);
  say(`And as a page to print and hand round: ${file}`);
}

/** One line in columns. No cell is in quotes, since no reference in this story has a comma. */
function shown(line: string): string {
  const cells = line.split(',');
  return `    ${SHOWN_COLUMNS.map((column, place) => (cells[column] ?? '').padEnd(COLUMN_WIDTHS[place] ?? 0)).join('')}`.trimEnd();
}
