import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Statement } from '../../../../lib/contracts/treasury.ts';
import type { Figures } from '../figures.view.ts';
import { kindInWords } from '../words.view.ts';
import type { StatementWords } from '../words.view.ts';
import { STYLES, TEXT_WIDTH } from './paper.ts';
import { Typesetter } from './typesetter.ts';

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

/** Above and below the text of a row, and left and right of the table's. */
export const CELL_PADDING = 4;
const COLUMN_GAP = 10;
const DATE_WIDTH = 54;
const METHOD_MIN_WIDTH = 34;
const AMOUNT_MIN_WIDTH = 54;
/** Enough for most movements' names in one line; amounts are set smaller rather than take from it. */
const MOVEMENT_MIN_WIDTH = 110;
/** The last one is the smallest that can be read in print. */
const AMOUNT_SIZES = [STYLES.cell.size, 7.5, 6.5] as const;

/** A few milliseconds of measuring, so that other requests get their turn in between. */
const ROWS_A_TURN = 100;

/** The table's rows: the opening balance, the movements, the closing balance with the totals. */
export function rowMaker(statement: Statement, words: StatementWords, figures: Figures, set: Typesetter) {
  const row = (cells: Partial<Omit<Row, 'height'>>): Row => {
    const { movement = [''], notes = [] } = cells;
    const text =
      movement.length * Typesetter.lineHeight(STYLES.cell) + notes.length * Typesetter.lineHeight(STYLES.note);
    const blank = { date: '', number: '', method: '', paidIn: '', paidOut: '', balance: '', strong: false };
    return { ...blank, ...cells, movement, notes, height: text + 2 * CELL_PADDING };
  };
  const amountOrNone = (amount: number) => (amount > 0 ? figures.amount(amount) : '');
  return {
    opening: () =>
      row({
        date: statement.from === null ? '' : figures.day(statement.from),
        movement: [words.opening],
        balance: figures.amount(statement.opening_balance),
        strong: true,
      }),
    closing: () =>
      row({
        date: figures.day(statement.to ?? statement.made_at),
        movement: [words.closing],
        paidIn: figures.amount(statement.paid_in),
        paidOut: figures.amount(statement.paid_out),
        balance: figures.amount(statement.closing_balance),
        strong: true,
      }),
    movement: (each: Statement['movements'][number], width: number) =>
      row({
        date: figures.day(each.posted_at),
        number: String(each.seq),
        movement: set.wrap(kindInWords(words, each.kind, each.amount), width, STYLES.cell),
        notes: [
          each.meeting === null ? '' : words.meetingName(each.meeting, figures.day(each.meeting.due_on)),
          each.reference ?? '',
        ].flatMap((note) => set.wrap(note, width, STYLES.note).filter((line) => line !== '')),
        method: words.methods[each.method],
        paidIn: amountOrNone(each.amount),
        paidOut: amountOrNone(-each.amount),
        balance: figures.amount(each.balance_after),
      }),
  };
}

/** Columns wide enough for the widest amounts and the longest number that the statement has. */
export function columnsOf(statement: Statement, words: StatementWords, figures: Figures, set: Typesetter): Columns {
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

/** Divides the rows among pages: how many rows each holds. */
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
  // What stands below the table goes on a page with at least its last row, so that none holds the end alone.
  const last = page.length > 1 ? page.pop() : undefined;
  return [...pages, last === undefined ? [] : [last]];
}

/** All rows of the table, made with pauses for other requests. */
export async function* rowsOf(
  { movements }: Statement,
  make: ReturnType<typeof rowMaker>,
  { movementWidth }: Columns,
): AsyncGenerator<Row> {
  yield make.opening();
  for (const [index, movement] of movements.entries()) {
    if (index > 0 && index % ROWS_A_TURN === 0) await nextTurn();
    yield make.movement(movement, movementWidth);
  }
  yield make.closing();
}
