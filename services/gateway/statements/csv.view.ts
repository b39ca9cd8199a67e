import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MeetingReference } from '../../../lib/contracts/fields.ts';
import type { Statement } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { minorDigits } from '../../../lib/money/currency.ts';
import { dayAt } from './figures.view.ts';
import { STATEMENT_WORDS } from './words.view.ts';

/** Without this mark, spreadsheets on Windows do not read the file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The line end of RFC 4180. */
const LINE_END = '\r\n';

/** The rows between two pauses: a few milliseconds of work, so that other requests are served in between. */
const ROWS_A_PIECE = 500;

/** With these characters, and their full-width forms, a spreadsheet begins a formula (OWASP, "CSV injection"). */
const BEGINS_FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** The columns in order. Each name is the key of the column's heading in STATEMENT_WORDS. */
const COLUMNS = [
  'date',
  'currency',
  'movement',
  'round',
  'meetingDay',
  'meetingTitle',
  'reference',
  'method',
  'paidIn',
  'paidOut',
  'balance',
  'owes',
  'isOwed',
  'meeting',
  'transfer',
  'hash',
] as const;
type Row = Partial<Record<(typeof COLUMNS)[number], string>>;

/** Writes a statement as CSV (see csvPieces()), with pauses for other requests. */
export async function* statementCsv(statement: Statement, language: Language): AsyncGenerator<string> {
  for (const piece of csvPieces(statement, language)) {
    yield piece;
    await nextTurn();
  }
}

/**
 * Yields a statement as CSV (RFC 4180, UTF-8): a header, the opening balance, each movement, the arrears of each round, the
 * fines, and the closing balance with the totals. Only the header is translated, so that one program can read all files.
 */
export function* csvPieces(statement: Statement, language: Language): Generator<string> {
  const { currency, time_zone, movements, arrears, fines } = statement;
  const digits = minorDigits(currency);
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  const amountFormat = new Intl.NumberFormat('en', decimals);
  const format = (amount: number) => amountFormat.format(amount);
  const positive = (amount: number) => (amount > 0 ? format(amount) : '');
  const line = (row: Row) => COLUMNS.map((column) => quoteCell(row[column] ?? '')).join(',') + LINE_END;
  const opening = {
    date: statement.from ?? '',
    movement: 'opening_balance',
    balance: format(statement.opening_balance),
  };
  yield BYTE_ORDER_MARK + line(STATEMENT_WORDS[language]) + line({ currency, ...opening });
  for (let first = 0; first < movements.length; first += ROWS_A_PIECE) {
    const lines = movements.slice(first, first + ROWS_A_PIECE).map((each) =>
      line({
        date: dayAt(time_zone, each.posted_at),
        currency,
        movement: each.kind,
        ...meetingCells(each.meeting),
        reference: withoutFormula(each.reference ?? ''),
        method: each.method,
        paidIn: positive(each.amount),
        paidOut: positive(-each.amount),
        balance: format(each.balance_after),
        transfer: each.transfer_id,
        hash: each.hash,
      }),
    );
    yield lines.join('');
  }
  const owed = arrears.map(({ meeting, since, owes, is_owed }) =>
    line({
      date: dayAt(time_zone, since),
      currency,
      movement: 'arrears',
      ...meetingCells(meeting),
      owes: positive(owes),
      isOwed: positive(is_owed),
    }),
  );
  const due = fines.map(({ code, reason, meeting, outstanding, assessed_at }) =>
    line({
      date: dayAt(time_zone, assessed_at),
      currency,
      movement: 'fine',
      ...meetingCells(meeting),
      reference: withoutFormula(reason === null ? code : `${code}: ${reason}`),
      owes: format(outstanding),
    }),
  );
  const closing = line({
    date: statement.to ?? dayAt(time_zone, statement.made_at),
    currency,
    movement: 'closing_balance',
    paidIn: format(statement.paid_in),
    paidOut: format(statement.paid_out),
    balance: format(statement.closing_balance),
    owes: format(statement.owes),
    isOwed: format(statement.is_owed),
  });
  yield owed.join('') + due.join('') + closing;
}

function meetingCells(meeting: MeetingReference | null): Row {
  if (meeting === null) return {};
  const { id, round, title, due_on } = meeting;
  return {
    meeting: id,
    meetingDay: due_on,
    round: round === null ? '' : String(round),
    meetingTitle: withoutFormula(title ?? ''),
  };
}

/** Prevents text that users typed from becoming a formula in a spreadsheet. */
function withoutFormula(text: string): string {
  return BEGINS_FORMULA.test(text) ? `'${text}` : text;
}

/** Quotes a cell where RFC 4180 requires it. */
function quoteCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
