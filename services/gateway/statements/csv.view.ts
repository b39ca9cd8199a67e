import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MeetingReference } from '../../../lib/contracts/fields.ts';
import type { Statement } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { minorDigits } from '../../../lib/money/currency.ts';
import { STATEMENT_WORDS } from './words.view.ts';

/** Without it spreadsheets on Windows read UTF-8 as their old code page. */
const BYTE_ORDER_MARK = '\uFEFF';

/** RFC 4180. */
const LINE_END = '\r\n';

/** A few milliseconds of work, so that other requests get their turn in between. */
const ROWS_A_PIECE = 500;

/** With these a spreadsheet begins a formula (OWASP, "CSV injection"); their full-width forms too. */
const BEGINS_FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** The columns in their order, by the word for each in the header. */
const COLUMNS = [
  ...(['date', 'currency', 'movement', 'round', 'meetingDay', 'meetingTitle', 'reference', 'method'] as const),
  ...(['paidIn', 'paidOut', 'balance', 'owes', 'isOwed', 'meeting', 'transfer', 'hash'] as const),
];
type Row = Partial<Record<(typeof COLUMNS)[number], string>>;

/** Writes a statement as CSV, with pauses for other requests; see csvPieces(). */
export async function* statementCsv(statement: Statement, language: Language): AsyncGenerator<string> {
  for (const piece of csvPieces(statement, language)) {
    yield piece;
    await nextTurn();
  }
}

/**
 * A statement as CSV (RFC 4180, UTF-8): a header, the opening balance, each movement, the arrears of each round, the
 * closing balance with the totals. Only the header is in the reader's language, so that one program reads all of them.
 */
export function* csvPieces(statement: Statement, language: Language): Generator<string> {
  const { currency, movements, arrears } = statement;
  const digits = minorDigits(currency);
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  const amountFormat = new Intl.NumberFormat('en', decimals);
  const format = (amount: number) => amountFormat.format(amount);
  const positive = (amount: number) => (amount > 0 ? format(amount) : '');
  const line = (row: Row) => COLUMNS.map((column) => quoted(row[column] ?? '')).join(',') + LINE_END;
  const opening = {
    date: statement.from ?? '',
    movement: 'opening_balance',
    balance: format(statement.opening_balance),
  };
  yield BYTE_ORDER_MARK + line(STATEMENT_WORDS[language]) + line({ currency, ...opening });
  for (let first = 0; first < movements.length; first += ROWS_A_PIECE) {
    const lines = movements.slice(first, first + ROWS_A_PIECE).map((each) =>
      line({
        date: dayOf(each.posted_at),
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
      date: dayOf(since),
      currency,
      movement: 'arrears',
      ...meetingCells(meeting),
      owes: positive(owes),
      isOwed: positive(is_owed),
    }),
  );
  const closing = line({
    date: statement.to ?? dayOf(statement.made_at),
    currency,
    movement: 'closing_balance',
    paidIn: format(statement.paid_in),
    paidOut: format(statement.paid_out),
    balance: format(statement.closing_balance),
    owes: format(statement.owes),
    isOwed: format(statement.is_owed),
  });
  yield owed.join('') + closing;
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

/** In UTC. */
function dayOf(instant: string): string {
  return instant.slice(0, 'YYYY-MM-DD'.length);
}

/** Keeps text that people typed from becoming a formula in a spreadsheet. */
function withoutFormula(text: string): string {
  return BEGINS_FORMULA.test(text) ? `'${text}` : text;
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
