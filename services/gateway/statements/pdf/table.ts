/** The table of movements: its columns and rows, pagination, and drawing. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Statement } from '../../../../lib/contracts/treasury.ts';
import { kindInWords } from '../words.view.ts';
import { COLORS, drawLine, lineHeight, MARGIN, STYLES, TEXT_WIDTH, type Block, type DrawingContext } from './paper.ts';
import type { Style } from './typesetter.ts';

/**
 * The columns in reading order, which is also the order of text copied from the page. Their headings are in
 * STATEMENT_WORDS.
 */
const COLUMNS = ['date', 'number', 'movement', 'method', 'paidIn', 'paidOut', 'balance'] as const;
type Column = (typeof COLUMNS)[number];
const ALIGNED_RIGHT: readonly Column[] = ['number', 'paidIn', 'paidOut', 'balance'];

/** The kinds of rows: the header, the opening and closing balance, and the movements. */
type Kind = 'header' | 'strong' | 'cell';
const FILLS: Partial<Record<Kind, string>> = { header: COLORS.accent, strong: COLORS.tint };

/** The widths of the columns in points, and the styles of the rows. */
export interface Layout {
  widths: Record<Column, number>;
  styles: Record<Kind | 'note', Style>;
}

export interface Row {
  kind: Kind;
  texts: Partial<Record<Column, string>>;
  /** The lines of the movement; below them, in small type, the meeting and the reference. */
  movement: { text: string; style: Style }[];
  height: number;
}

/** The space above and below the text of a row, and at the left and right end of the table. */
const CELL_PADDING = 4;
const COLUMN_GAP = 10;
const DATE_WIDTH = 54;
const METHOD_MIN_WIDTH = 34;
const AMOUNT_MIN_WIDTH = 54;
/**
 * Most names of movements fit in one line of this width. Rows with large amounts use smaller type instead of less
 * width.
 */
const MOVEMENT_MIN_WIDTH = 110;
const SIZES: readonly number[] = [STYLES.cell.size, 7.5];
/** The smallest size that is readable in print. */
const SIZE_MIN = 6.5;

/** The rows between two pauses: a few milliseconds of measuring, so that other requests are served in between. */
const ROWS_PER_TURN = 100;

/**
 * Chooses the largest type in which the widest amounts and the longest number of the statement leave enough room for
 * the movements.
 */
export function chooseLayout(context: DrawingContext): Layout {
  const candidates = SIZES.map((size) => buildLayout(context, size));
  return candidates.find(({ widths }) => widths.movement >= MOVEMENT_MIN_WIDTH) ?? buildLayout(context, SIZE_MIN);
}

function buildLayout({ statement, words, figures, typesetter }: DrawingContext, size: number): Layout {
  const { header, strong, cell, note } = STYLES;
  const noteSize = Math.min(note.size, size);
  const styles = { header, strong: { ...strong, size }, cell: { ...cell, size }, note: { ...note, size: noteSize } };
  const widest = (column: Column, minimum: number, texts: string[]) =>
    Math.max(
      minimum,
      typesetter.width(words[column], strong),
      ...texts.map((text) => typesetter.width(text, styles.strong)),
    );
  const amounts = (column: Column, ...values: number[]) => widest(column, AMOUNT_MIN_WIDTH, values.map(figures.amount));
  const { movements, opening_balance, closing_balance, paid_in, paid_out } = statement;
  const balances = [opening_balance, closing_balance, ...movements.map(({ balance_after }) => balance_after)];
  const widths = {
    date: DATE_WIDTH,
    number: widest('number', 0, [String(Math.max(0, ...movements.map(({ seq }) => seq)))]),
    method: widest('method', METHOD_MIN_WIDTH, Object.values(words.methods)),
    paidIn: amounts('paidIn', paid_in),
    paidOut: amounts('paidOut', paid_out),
    // Either the lowest or the highest balance is the widest.
    balance: amounts('balance', Math.min(...balances), Math.max(...balances)),
  };
  const used = Object.values(widths).reduce((sum, width) => sum + width + COLUMN_GAP, 2 * CELL_PADDING);
  return { widths: { ...widths, movement: TEXT_WIDTH - used }, styles };
}

/** Builds the header of the table, which is repeated on each page. */
export function buildHeader(context: DrawingContext, layout: Layout): Row {
  const texts = Object.fromEntries(COLUMNS.map((column) => [column, context.words[column]]));
  return buildRow(context, layout, 'header', texts);
}

/**
 * Yields the rows: the opening balance, the movements, and the closing balance with the totals. Pauses for other
 * requests.
 */
export async function* buildRows(context: DrawingContext, layout: Layout): AsyncGenerator<Row> {
  const { statement, words, figures } = context;
  yield buildRow(context, layout, 'strong', {
    date: statement.from === null ? '' : figures.day(statement.from),
    movement: words.opening,
    balance: figures.amount(statement.opening_balance),
  });
  for (const [index, movement] of statement.movements.entries()) {
    if (index > 0 && index % ROWS_PER_TURN === 0) await nextTurn();
    yield buildMovementRow(context, layout, movement);
  }
  yield buildRow(context, layout, 'strong', {
    date: figures.day(statement.to ?? statement.made_at),
    movement: words.closing,
    paidIn: figures.amount(statement.paid_in),
    paidOut: figures.amount(statement.paid_out),
    balance: figures.amount(statement.closing_balance),
  });
}

function buildMovementRow(context: DrawingContext, layout: Layout, each: Statement['movements'][number]): Row {
  const { words, figures } = context;
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
  return buildRow(context, layout, 'cell', texts, [meeting, each.reference ?? '']);
}

/**
 * Builds one row.
 * @param notes texts in small type below the movement
 */
function buildRow(
  { typesetter }: DrawingContext,
  { widths, styles }: Layout,
  kind: Kind,
  texts: Row['texts'],
  notes: readonly string[] = [],
): Row {
  const wrap = (text: string, style: Style) =>
    typesetter.wrap(text, widths.movement, style).map((line) => ({ text: line, style }));
  const noteLines = notes.flatMap((note) => wrap(note, styles.note)).filter(({ text }) => text !== '');
  const movement = [...wrap(texts.movement ?? '', styles[kind]), ...noteLines];
  const height = movement.reduce((sum, { style }) => sum + lineHeight(style), 2 * CELL_PADDING);
  return { kind, texts, movement, height };
}

/**
 * Divides the rows among pages.
 * @param room the heights for rows on the first page and on each later page, and the height of the part below the table
 */
export async function paginate(
  rows: AsyncIterable<Row>,
  room: { firstHeight: number; laterHeight: number; endHeight: number },
): Promise<Row[][]> {
  let page: Row[] = [];
  const pages = [page];
  let left = room.firstHeight;
  for await (const row of rows) {
    if (row.height > left && page.length > 0) {
      page = [];
      pages.push(page);
      left = room.laterHeight;
    }
    page.push(row);
    left -= row.height;
  }
  if (left >= room.endHeight) return pages;
  // The part below the table goes onto a new page, with at least the last row.
  const last = page.length > 1 ? page.pop() : undefined;
  return [...pages, last === undefined ? [] : [last]];
}

/** Builds the part of the table on one page, with the header. Returns no blocks for a page without rows. */
export function buildTable(context: DrawingContext, layout: Layout, header: Row, rows: readonly Row[]): Block[] {
  if (rows.length === 0) return [];
  return [header, ...rows].map((row) => ({ height: row.height, draw: (y) => drawRow(context, layout, row, y) }));
}

function drawRow({ document, typesetter }: DrawingContext, { widths, styles }: Layout, row: Row, top: number): void {
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
      if (line.text !== '') typesetter.line(line.text, x, y, line.style, isRight ? 'right' : 'left');
      y += lineHeight(line.style);
    }
    left += widths[column] + COLUMN_GAP;
  }
  if (row.kind !== 'header') drawLine(document, top + row.height);
}
