import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { insist, type Group } from './group.ts';
import { chapter, say } from './narrator.ts';
import type { Person } from './person.ts';

/** The columns date, movement, round, method, paid in, paid out and balance. */
const SHOWN_COLUMNS = [0, 2, 3, 7, 8, 9, 10];
const COLUMN_WIDTHS = [12, 18, 7, 8, 10, 10, 10];

/** Shows a member's statement as CSV and PDF. */
export async function showStatement(group: Group, person: Person): Promise<void> {
  chapter('A statement, as CSV and as PDF');
  const path = `${group.path}/statement`;
  const csv = (await person.file(path, 'text/csv')).toString();
  const rows = csv.replace('\uFEFF', '').trimEnd().split('\r\n').map(formatLine);
  say(`${person.name}'s statement of "${group.name}" as CSV, with some of its columns:\n${rows.join('\n')}`);
  const pdf = await person.file(path, 'application/pdf');
  insist(pdf.subarray(0, 5).toString() === '%PDF-', 'the statement is not a PDF');
  const file = join(tmpdir(), 'association-statement.pdf');
  await writeFile(file, pdf);
  say(`And as PDF, to print and hand out: ${file}`);
}

/** Formats one line as columns. No cell is quoted, because no reference in the demo contains a comma. */
function formatLine(line: string): string {
  const cells = line.split(',');
  return `    ${SHOWN_COLUMNS.map((column, place) => (cells[column] ?? '').padEnd(COLUMN_WIDTHS[place] ?? 0)).join('')}`.trimEnd();
}
