import type { MeetingForm, Minutes } from '../../../lib/contracts/contribution.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { figuresOf } from '../statements/figures.view.ts';
import { commonTexts, type SheetTexts } from './sheet-texts.view.ts';
import { SHEET_WORDS } from './sheet-words.view.ts';

/** Returns the minutes of a meeting: what a sheet records of each member, its cash, and what became of it. */
export function minutesTexts(form: MeetingForm, sheet: Minutes, language: Language): SheetTexts {
  const words = SHEET_WORDS[language];
  const figures = figuresOf(language, form.currency, form.time_zone);
  const { columns, minutes } = words;
  const confirmed = sheet.confirmed_at === null ? '' : figures.moment(sheet.confirmed_at);
  const { amountOrNothing: amount } = figures;
  const before = minutes.cashBefore(figures.amount(sheet.cash_before));
  return {
    ...commonTexts(form, minutes.title, language),
    columns: [
      { label: '', width: 18, shows: 'figure' },
      { label: columns.name, width: 146, shows: 'text' },
      { label: minutes.columns.attendance, width: 68, shows: 'text' },
      { label: columns.paid, width: 66, shows: 'figure' },
      { label: columns.finePaid, width: 62, shows: 'figure' },
      { label: minutes.columns.treasury, width: 66, shows: 'figure' },
      { label: minutes.columns.owed, shows: 'figure' },
    ],
    rows: sheet.lines.map(({ display_name, attendance, paid, fines_paid, to_treasury, owed }, index) => [
      String(index + 1),
      display_name ?? '',
      attendance === null ? '' : minutes.attendance[attendance],
      amount(paid),
      amount(fines_paid),
      amount(to_treasury),
      amount(owed),
    ]),
    totals: ['', minutes.total, '', amount(sheet.paid), amount(sheet.fines_paid), amount(sheet.to_treasury), ''],
    remarks: [
      minutes.status[sheet.status](confirmed),
      `${minutes.recordedBy(sheet.recorded_by ?? '', figures.moment(sheet.created_at))} ${before}`,
      `${minutes.sheet} ${sheet.sheet_id} · SHA-256 ${sheet.sheet_hash}`,
    ],
    cash: [
      [words.counted, figures.amount(sheet.counted_cash)],
      [words.expected, figures.amount(sheet.expected_cash)],
      [words.difference, figures.amount(sheet.difference)],
    ],
    note: [words.note, sheet.note ?? minutes.none],
  };
}
