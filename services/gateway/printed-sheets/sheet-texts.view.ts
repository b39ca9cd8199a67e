/** What is drawn of a form or of minutes. */
import type { MeetingForm } from '../../../lib/contracts/contribution.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { figuresOf } from '../statements/figures.view.ts';
import { SHEET_WORDS } from './sheet-words.view.ts';

/** A column with its width in points. The last one has what the others leave. */
export interface Column {
  label: string;
  width?: number;
  /** A `box` is one to tick by hand. */
  shows: 'text' | 'figure' | 'box';
}

/** A label, and what is printed beside it. Without a text there is a line to write on. */
export type Field = [label: string, text?: string];

/** The texts of a sheet, in the language of its readers. */
export interface SheetTexts {
  language: Language;
  title: string;
  association: string;
  /** Below the name of the association. */
  meeting: string;
  subtitle: string;
  columns: Column[];
  /** One text for each column; empty for columns that are filled in by hand. */
  rows: string[][];
  /** Below the rows of the last page. */
  totals?: string[];
  remarks: string[];
  cash: [Field, Field, Field];
  note: Field;
  signatures: string[];
  page: (number: number, of: number) => string;
  made_at: string;
}

type CommonTexts = 'language' | 'title' | 'association' | 'meeting' | 'subtitle' | 'signatures' | 'page' | 'made_at';

/** Returns the texts that forms and minutes have in common. */
export function commonTexts(
  { association, currency, time_zone, meeting, made_at }: MeetingForm,
  title: string,
  language: Language,
): Pick<SheetTexts, CommonTexts> {
  const words = SHEET_WORDS[language];
  const figures = figuresOf(language, currency, time_zone);
  return {
    language,
    title,
    association: association.name,
    meeting: `${title}: ${words.meeting(meeting, figures.longDay(meeting.due_on))}`,
    subtitle: words.amountsIn(currency, figures.moment(made_at)),
    signatures: words.signatures,
    page: words.page,
    made_at,
  };
}
