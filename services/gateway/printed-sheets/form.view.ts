import type { MeetingForm } from '../../../lib/contracts/contribution.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { figuresOf } from '../statements/figures.view.ts';
import { commonTexts, type SheetTexts } from './sheet-texts.view.ts';
import { SHEET_WORDS } from './sheet-words.view.ts';

/** Returns the sheet that a group prints and fills in by hand at a meeting. */
export function formTexts(form: MeetingForm, language: Language): SheetTexts {
  const words = SHEET_WORDS[language];
  const figures = figuresOf(language, form.currency, form.time_zone);
  const { columns } = words;
  return {
    ...commonTexts(form, words.title, language),
    columns: [
      { label: '', width: 18, shows: 'figure' },
      { label: columns.name, width: 122, shows: 'text' },
      { label: columns.due, width: 52, shows: 'figure' },
      { label: columns.arrears, width: 48, shows: 'figure' },
      { label: columns.fines, width: 46, shows: 'figure' },
      { label: columns.paid, width: 56, shows: 'text' },
      { label: columns.finePaid, width: 48, shows: 'text' },
      { label: columns.present, width: 24, shows: 'box' },
      { label: columns.late, width: 24, shows: 'box' },
      { label: columns.absent, width: 24, shows: 'box' },
      { label: columns.signature, shows: 'text' },
    ],
    rows: form.lines.map(({ display_name, outstanding, arrears, fines }, index) => [
      String(index + 1),
      display_name ?? '',
      figures.amountOrNothing(outstanding),
      figures.amountOrNothing(arrears),
      figures.amountOrNothing(fines),
    ]),
    remarks: [],
    cash: [[words.counted], [words.expected], [words.difference]],
    note: [words.note],
  };
}
