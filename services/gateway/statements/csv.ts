import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Statement } from '../../../lib/contracts/treasury.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { figuresOf } from './figures.ts';
import { kindInWords, STATEMENT_WORDS } from './words.ts';

/** What French writes as decimal mark cannot separate fields as well; French spreadsheets expect this one. */
const SEPARATORS: Record<Language, string> = { en: ',', fr: ';' };

/** Without it spreadsheets on Windows read UTF-8 as their old code page. */
const BYTE_ORDER_MARK = '\uFEFF';

/** RFC 4180. */
const LINE_END = '\r\n';

/** A few milliseconds of work, so that other requests get their turn in between. */
const ROWS_A_TURN = 500;

/** With these a spreadsheet begins a formula (OWASP, "CSV injection"); their full-width forms too. */
const BEGINS_FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** Writes a statement as CSV (RFC 4180, UTF-8): a header, the opening balance, each movement, the closing balance. */
export async function* statementCsv(statement: Statement, language: Language): AsyncGenerator<string> {
  const words = STATEMENT_WORDS[language];
  const { plainAmount, day } = figuresOf(language, statement.currency);
  const line = (cells: string[]) => cells.map((cell) => quoted(cell, SEPARATORS[language])).join(SEPARATORS[language]);
  const { date, movement, reference, method, paidIn, paidOut, balance, transfer, hash } = words;
  const from = statement.from === null ? '' : day(statement.from);
  const to = day(statement.to ?? statement.made_at);
  yield (
    BYTE_ORDER_MARK +
    line([date, movement, reference, method, paidIn, paidOut, balance, transfer, hash]) +
    LINE_END +
    line([from, words.opening, '', '', '', '', plainAmount(statement.opening_balance), '', '']) +
    LINE_END
  );
  for (let first = 0; first < statement.movements.length; first += ROWS_A_TURN) {
    if (first > 0) await nextTurn();
    const rows = statement.movements
      .slice(first, first + ROWS_A_TURN)
      .map((each) =>
        line([
          day(each.posted_at),
          kindInWords(words, each.kind, each.amount),
          harmless(each.reference ?? ''),
          words.methods[each.method],
          each.amount > 0 ? plainAmount(each.amount) : '',
          each.amount < 0 ? plainAmount(-each.amount) : '',
          plainAmount(each.balance_after),
          each.transfer_id,
          each.hash,
        ]),
      );
    yield rows.join(LINE_END) + LINE_END;
  }
  const totals = [statement.paid_in, statement.paid_out, statement.closing_balance].map(plainAmount);
  yield line([to, words.closing, '', '', ...totals, '', '']) + LINE_END;
}

/** Makes text of people's own what it is in a spreadsheet too: text. */
function harmless(text: string): string {
  return BEGINS_FORMULA.test(text) ? `'${text}` : text;
}

function quoted(cell: string, separator: string): string {
  const plain = !cell.includes(separator) && !/["\r\n]/.test(cell);
  return plain ? cell : `"${cell.replaceAll('"', '""')}"`;
}
