/** The table of movements: its rows, its columns, how rows are divided among pages, and how they are drawn. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Statement } from '../../../../lib/contracts/treasury.ts';
import { kindInWords } from '../words.view.ts';
import { COLORS, lineHeight, MARGIN, rule, STYLES, TEXT_WIDTH, type Block, type Sheet } from './paper.ts';
import type { Style } from './typesetter.ts';

/** In the order in which they are read, which is also that of text copied from the page. Their heads are in the words. */
const COLUMNS = ['date', 'number', 'movement', 'method', 'paidIn', 'paidOut', 'balance'] as const;
type Column = (typeof COLUMNS)[number];
const ALIGNED_RIGHT: readonly Column[] = ['number', 'paidIn', 'paidOut', 'balance'];

/** The head, the balances at either end, and the movements. */
type Kind = 'head' | 'strong' | 'cell';
const FILLS: Partial<Record<Kind, string>> = { head: COLORS.accent, strong: COLORS.tint };

/** How wide the columns are, in points, and in which type the rows are set. */
export interface Layout {
  widths: Record<Column, number>;
  styles: Record<Kind | 'note', Style>;
}

export interface Row {
  kind: Kind;
  texts: Partial<Record<Column, string>>;
  /** The movement, broken into lines, and in small type below it the meeting and the reference. */
  movement: { text: string; style: Style }[];
  height: number;
}

/** Above and below the text of a row, and left and right of the table's. */
const CELL_PADDING = 4;
const COLUMN_GAP = 10;
const DATE_WIDTH = 54;
const METHOD_MIN_WIDTH = 34;
const AMOUNT_MIN_WIDTH = 54;
/** Enough for most movements' names in one line; rows with large amounts are set smaller rather than take from it. */
const MOVEMENT_MIN_WIDTH = 110;
const SIZES: readonly number[] = [STYLES.cell.size, 7.5];
/** The smallest that can be read in print. */
const SIZE_MIN = 6.5;

/** A few milliseconds of measuring, so that other requests get their turn in between. */
const ROWS_A_TURN = 100;

/** Columns wide enough for the widest amounts and the longest number in the statement. */
export function layoutOf(sheet: Sheet): Layout {
  const candidates = SIZES.map((size) => layoutIn(sheet, size));
  return candidates.find(({ widths }) => widths.movement >= MOVEMENT_MIN_WIDTH) ?? layoutIn(sheet, SIZE_MIN);
}

function layoutIn({ statement, words, figures, set }: Sheet, size: number): Layout {
  const { head, strong, cell, note } = STYLES;
  const noteSize = Math.min(note.size, size);
  const styles = { head, strong: { ...strong, size }, cell: { ...cell, size }, note: { ...note, size: noteSize } };
  const widest = (column: Column, minimum: number, texts: string[]) =>
    Math.max(minimum, set.width(words[column], strong), ...texts.map((text) => set.width(text, styles.strong)));
  const amounts = (column: Column, ...values: number[]) => widest(column, AMOUNT_MIN_WIDTH, values.map(figures.amount));
  const { movements, opening_balance, closing_balance, paid_in, paid_out } = statement;
  const balances = [opening_balance, closing_balance, ...movements.map(({ balance_after }) => balance_after)];
  const widths = {
    date: DATE_WIDTH,
    number: widest('number', 0, [String(Math.max(0, ...movements.map(({ seq }) => seq)))]),
    method: widest('method', METHOD_MIN_WIDTH, Object.values(words.methods)),
    paidIn: amounts('paidIn', paid_in),
    paidOut: amounts('paidOut', paid_out),
    // One of the two is the widest.
    balance: amounts('balance', Math.min(...balances), Math.max(...balances)),
  };
  const used = Object.values(widths).reduce((sum, width) => sum + width + COLUMN_GAP, 2 * CELL_PADDING);
  return { widths: { ...widths, movement: TEXT_WIDTH - used }, styles };
}

/** The table's head, which each page with rows repeats. */
export function headOf(sheet: Sheet, layout: Layout): Row {
  const texts = Object.fromEntries(COLUMNS.map((column) => [column, sheet.words[column]]));
  return newRow(sheet, layout, 'head', texts);
}

/** The opening balance, the movements, and the closing balance with the totals; with pauses for other requests. */
export async function* rowsOf(sheet: Sheet, layout: Layout): AsyncGenerator<Row> {
  const { statement, words, figures } = sheet;
  yield newRow(sheet, layout, 'strong', {
    date: statement.from === null ? '' : figures.day(statement.from),
    movement: words.opening,
    balance: figures.amount(statement.opening_balance),
  });
  for (const [index, movement] of statement.movements.entries()) {
    if (index > 0 && index % ROWS_A_TURN === 0) await nextTurn();
    yield movementRow(sheet, layout, movement);
  }
  yield newRow(sheet, layout, 'strong', {
    date: figures.day(statement.to ?? statement.made_at),
    movement: words.closing,
    paidIn: figures.amount(statement.paid_in),
    paidOut: figures.amount(statement.paid_out),
    balance: figures.amount(statement.closing_balance),
  });
}

function movementRow(sheet: Sheet, layout: Layout, each: Statement['movements'][number]): Row {
  const { words, figures } = sheet;
  const amountOrNone = (amount: number) => (amount > 0 ? figures.amount(amount) : '');
  const meeting = each.meeting === null ? '' : words.meetingName(each.meeting, figures.day(each.meeting.due_on));
  const texts = {
    date: figures.day(each.posted_at),
    number: String(each.seq),
    movement: kindInWords(words, each.kind, each.amount),
    method: words.methods[each.method],
    paidIn: amountOrNone(each.amount),
    paidOut: amountOrNone(-each.amount),
    balance: figures.amount(each.balance_after),
  };
  return newRow(sheet, layout, 'cell', texts, [meeting, each.reference ?? '']);
}

/** @param notes small, below the movement */
function newRow(
  { set }: Sheet,
  { widths, styles }: Layout,
  kind: Kind,
  texts: Row['texts'],
  notes: readonly string[] = [],
): Row {
  const wrap = (text: string, style: Style) =>
    set.wrap(text, widths.movement, style).map((line) => ({ text: line, style }));
  const noteLines = notes.flatMap((note) => wrap(note, styles.note)).filter(({ text }) => text !== '');
  const movement = [...wrap(texts.movement ?? '', styles[kind]), ...noteLines];
  const height = movement.reduce((sum, { style }) => sum + lineHeight(style), 2 * CELL_PADDING);
  return { kind, texts, movement, height };
}

/** Divides the rows among pages. @param room for rows on the first page and each later one, and for the end */
export async function pagesOf(
  rows: AsyncIterable<Row>,
  room: { first: number; later: number; end: number },
): Promise<Row[][]> {
  let page: Row[] = [];
  const pages = [page];
  let left = room.first;
  for await (const row of rows) {
    if (row.height > left && page.length > 0) {
      page = [];
      pages.push(page);
      left = room.later;
    }
    page.push(row);
    left -= row.height;
  }
  if (left >= room.end) return pages;
  // What stands below the table goes onto a page with at least the last row, so that no page holds the end alone.
  const last = page.length > 1 ? page.pop() : undefined;
  return [...pages, last === undefined ? [] : [last]];
}

/** The table's part of a page, with its head; nothing for a page without rows. */
export function table(sheet: Sheet, layout: Layout, head: Row, rows: readonly Row[]): Block[] {
  if (rows.length === 0) return [];
  return [head, ...rows].map((row) => ({ height: row.height, draw: (y) => drawRow(sheet, layout, row, y) }));
}

function drawRow({ document, set }: Sheet, { widths, styles }: Layout, row: Row, top: number): void {
  const fill = FILLS[row.kind];
  if (fill !== undefined) document.rect(MARGIN, top, TEXT_WIDTH, row.height).fill(fill);
  let left = MARGIN + CELL_PADDING;
  for (const column of COLUMNS) {
    const isRight = ALIGNED_RIGHT.includes(column);
    const text = row.texts[column] ?? '';
    const lines = column === 'movement' ? row.movement : [{ text, style: styles[row.kind] }];
    let y = top + CELL_PADDING;
    for (const line of lines) {
      const x = isRight ? left + widths[column] : left;
      if (line.text !== '') set.line(line.text, x, y, line.style, isRight ? 'right' : 'left');
      y += lineHeight(line.style);
    }
    left += widths[column] + COLUMN_GAP;
  }
  if (row.kind !== 'head') rule(document, top + row.height);
}
