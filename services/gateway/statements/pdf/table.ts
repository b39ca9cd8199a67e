/** The table of movements: its rows, its columns, how rows are divided among pages, and how they are drawn. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Statement } from '../../../../lib/contracts/treasury.ts';
import { kindInWords } from '../words.view.ts';
import { COLORS, lineHeight, MARGIN, rule, STYLES, TEXT_WIDTH } from './paper.ts';
import type { Block, Sheet } from './paper.ts';
import type { Style } from './typesetter.ts';

/** One row of the table, broken into lines. */
export interface Row {
  date: string;
  number: string;
  movement: string[];
  /** The meeting and the reference, small, below the movement. */
  notes: string[];
  method: string;
  paidIn: string;
  paidOut: string;
  balance: string;
  /** Bold, as the balances at either end. */
  strong: boolean;
  height: number;
}

/** The left end of each column of text and the right end of each column of amounts, from the page's left margin. */
export interface Columns {
  date: number;
  number: number;
  movement: number;
  movementWidth: number;
  method: number;
  paidIn: number;
  paidOut: number;
  balance: number;
  /** Of the amounts' type, in points. */
  amountSize: number;
}

export const TABLE_HEAD_HEIGHT = 20;
/** Above and below the text of a row, and left and right of the table's. */
const CELL_PADDING = 4;
const COLUMN_GAP = 10;
const DATE_WIDTH = 54;
const METHOD_MIN_WIDTH = 34;
const AMOUNT_MIN_WIDTH = 54;
/** Enough for most movements' names in one line; amounts are set smaller rather than take from it. */
const MOVEMENT_MIN_WIDTH = 110;
/** The last one is the smallest that can be read in print. */
const AMOUNT_SIZES = [STYLES.cell.size, 7.5, 6.5] as const;
/** Of DejaVu: how far above the line its type begins, for each point. */
const ASCENT = 0.93;

/** A few milliseconds of measuring, so that other requests get their turn in between. */
const ROWS_A_TURN = 100;

/** Columns wide enough for the widest amounts and the longest number in the statement. */
export function columnsOf({ statement, words, figures, set }: Sheet): Columns {
  const widest = (texts: string[], minimum: number, size: number = STYLES.strong.size) =>
    Math.max(minimum, ...texts.map((text) => set.width(text, { ...STYLES.strong, size })));
  const seq = statement.movements.reduce((most, each) => Math.max(most, each.seq), 0);
  const date = CELL_PADDING;
  const number = date + DATE_WIDTH + COLUMN_GAP + widest([String(seq), words.number], 0);
  const movement = number + COLUMN_GAP;
  const methodWidth = widest([words.method, ...Object.values(words.methods)], METHOD_MIN_WIDTH);
  const balances = extremes(statement).map(figures.amount);
  const withAmountsOf = (amountSize: number): Columns => {
    const amounts = (head: string, texts: string[]) =>
      Math.max(widest([head], 0), widest(texts, AMOUNT_MIN_WIDTH, amountSize));
    const balance = TEXT_WIDTH - CELL_PADDING;
    const paidOut = balance - amounts(words.balance, balances) - COLUMN_GAP;
    const paidIn = paidOut - amounts(words.paidOut, [figures.amount(statement.paid_out)]) - COLUMN_GAP;
    const method = paidIn - amounts(words.paidIn, [figures.amount(statement.paid_in)]) - COLUMN_GAP - methodWidth;
    const movementWidth = method - COLUMN_GAP - movement;
    return { date, number, movement, movementWidth, method, paidIn, paidOut, balance, amountSize };
  };
  const [normal, ...smaller] = AMOUNT_SIZES;
  return smaller.reduce(
    (columns, size) => (columns.movementWidth < MOVEMENT_MIN_WIDTH ? withAmountsOf(size) : columns),
    withAmountsOf(normal),
  );
}

/** The least and the most that the balance ever is: one of the two is the widest. */
function extremes({ opening_balance, closing_balance, movements }: Statement): [number, number] {
  let [least, most] = [Math.min(opening_balance, closing_balance), Math.max(opening_balance, closing_balance)];
  for (const { balance_after } of movements) {
    least = Math.min(least, balance_after);
    most = Math.max(most, balance_after);
  }
  return [least, most];
}

/** The opening balance, the movements, and the closing balance with the totals; with pauses for other requests. */
export async function* rowsOf(sheet: Sheet, columns: Columns): AsyncGenerator<Row> {
  const { statement, words, figures } = sheet;
  yield newRow({
    date: statement.from === null ? '' : figures.day(statement.from),
    movement: [words.opening],
    balance: figures.amount(statement.opening_balance),
    strong: true,
  });
  for (const [index, movement] of statement.movements.entries()) {
    if (index > 0 && index % ROWS_A_TURN === 0) await nextTurn();
    yield movementRow(sheet, movement, columns.movementWidth);
  }
  yield newRow({
    date: figures.day(statement.to ?? statement.made_at),
    movement: [words.closing],
    paidIn: figures.amount(statement.paid_in),
    paidOut: figures.amount(statement.paid_out),
    balance: figures.amount(statement.closing_balance),
    strong: true,
  });
}

function movementRow({ words, figures, set }: Sheet, each: Statement['movements'][number], width: number): Row {
  const amountOrNone = (amount: number) => (amount > 0 ? figures.amount(amount) : '');
  const meeting = each.meeting === null ? '' : words.meetingName(each.meeting, figures.day(each.meeting.due_on));
  const notes = [meeting, each.reference ?? ''].flatMap((note) => set.wrap(note, width, STYLES.note));
  return newRow({
    date: figures.day(each.posted_at),
    number: String(each.seq),
    movement: set.wrap(kindInWords(words, each.kind, each.amount), width, STYLES.cell),
    notes: notes.filter((line) => line !== ''),
    method: words.methods[each.method],
    paidIn: amountOrNone(each.amount),
    paidOut: amountOrNone(-each.amount),
    balance: figures.amount(each.balance_after),
  });
}

function newRow(cells: Partial<Row> & Pick<Row, 'movement'>): Row {
  const { movement, notes = [] } = cells;
  const text = movement.length * lineHeight(STYLES.cell) + notes.length * lineHeight(STYLES.note);
  const blank = { date: '', number: '', method: '', paidIn: '', paidOut: '', balance: '', strong: false };
  return { ...blank, ...cells, notes, height: text + 2 * CELL_PADDING };
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
export function table(sheet: Sheet, columns: Columns, rows: readonly Row[]): Block[] {
  if (rows.length === 0) return [];
  return [
    { height: TABLE_HEAD_HEIGHT, draw: (y) => drawHead(sheet, columns, y) },
    ...rows.map((row) => ({ height: row.height, draw: (y: number) => drawRow(sheet, columns, row, y) })),
  ];
}

function drawHead({ document, set, words }: Sheet, columns: Columns, top: number): void {
  document.rect(MARGIN, top, TEXT_WIDTH, TABLE_HEAD_HEIGHT).fill(COLORS.accent);
  const { date, number, movement, method, paidIn, paidOut, balance } = words;
  const cells = { date, number, movement: [movement], notes: [], method, paidIn, paidOut, balance };
  drawCells(set, columns, cells, top + (TABLE_HEAD_HEIGHT - lineHeight(STYLES.head)) / 2, STYLES.head);
}

function drawRow({ document, set }: Sheet, columns: Columns, row: Row, top: number): void {
  if (row.strong) document.rect(MARGIN, top, TEXT_WIDTH, row.height).fill(COLORS.tint);
  drawCells(set, columns, row, top + CELL_PADDING, row.strong ? STYLES.strong : STYLES.cell);
  rule(document, top + row.height);
}

/** Sets the cells in the order in which they are read, which is also that of text copied from the page. */
function drawCells(
  set: Sheet['set'],
  columns: Columns,
  row: Omit<Row, 'strong' | 'height'>,
  top: number,
  style: Style,
): void {
  const cell = (text: string, x: number, align: 'left' | 'right', cellStyle = style) => {
    // Smaller type stands on the same line.
    const y = top + (style.size - cellStyle.size) * ASCENT;
    if (text !== '') set.line(text, MARGIN + x, y, cellStyle, align);
  };
  cell(row.date, columns.date, 'left');
  cell(row.number, columns.number, 'right');
  let y = top;
  for (const [lines, lineStyle] of [[row.movement, style] as const, [row.notes, STYLES.note] as const]) {
    for (const line of lines) {
      set.line(line, MARGIN + columns.movement, y, lineStyle);
      y += lineHeight(lineStyle);
    }
  }
  cell(row.method, columns.method, 'left');
  const amountStyle = style === STYLES.head ? style : { ...style, size: columns.amountSize };
  cell(row.paidIn, columns.paidIn, 'right', amountStyle);
  cell(row.paidOut, columns.paidOut, 'right', amountStyle);
  cell(row.balance, columns.balance, 'right', amountStyle);
}
