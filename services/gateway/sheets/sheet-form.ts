/** Draws a meeting sheet: a table to fill in by hand, with 25 members on a page of A4. */
import PDFDocument from 'pdfkit';
import type { MeetingForm } from '../../../lib/contracts/contribution.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { figuresOf, type Figures } from '../statements/figures.view.ts';
import {
  BODY_BOTTOM,
  COLORS,
  FOOTER_TOP,
  lineHeight,
  MARGIN,
  PAGE_HEIGHT,
  PAGE_WIDTH,
  STYLES,
  TEXT_WIDTH,
} from '../statements/pdf/paper.ts';
import { Typesetter } from '../statements/pdf/typesetter.ts';
import { SHEET_WORDS, type SheetWords } from './sheet-words.view.ts';

/** As many rows as have room for handwriting on a page that has the signatures too. */
const ROWS_A_PAGE = 25;

/** Heights in points. */
const ROW_HEIGHT = 22;
const HEADER_HEIGHT = 18;
const PADDING = 3;
const CHECK_SIZE = 9;

/** The widths of the columns in points; that of the signature is what they leave. */
const WIDTHS = {
  number: 18,
  name: 122,
  due: 52,
  arrears: 48,
  fines: 46,
  paid: 56,
  finePaid: 48,
  present: 24,
  late: 24,
  absent: 24,
} as const;
type Column = keyof typeof WIDTHS | 'signature';
const SIGNATURE_WIDTH = TEXT_WIDTH - Object.values(WIDTHS).reduce((sum, width) => sum + width, 0);
const COLUMNS = [...(Object.entries(WIDTHS) as [Column, number][]), ['signature', SIGNATURE_WIDTH] as const];
const CHECKS: readonly Column[] = ['present', 'late', 'absent'];

interface Drawing {
  document: PDFKit.PDFDocument;
  typesetter: Typesetter;
  form: MeetingForm;
  words: SheetWords;
  figures: Figures;
}

/** Writes the sheet as PDF with embedded fonts. The same form gives the same bytes. */
export async function sheetPdf(form: MeetingForm, language: Language): Promise<Buffer> {
  const words = SHEET_WORDS[language];
  const made = new Date(form.made_at);
  const document = new PDFDocument({
    size: [PAGE_WIDTH, PAGE_HEIGHT],
    margin: 0,
    autoFirstPage: false,
    pdfVersion: '1.7',
    lang: language,
    displayTitle: true,
    // The file's id is derived from these values, so nothing in the file is random.
    info: {
      Title: `${words.title}: ${form.association.name}`,
      Producer: 'association-service',
      Creator: 'association-service',
      CreationDate: made,
      ModDate: made,
    },
  });
  const typesetter = await Typesetter.create(document);
  const figures = figuresOf(language, form.currency, form.time_zone);
  const drawing = { document, typesetter, form, words, figures };
  const pages = Math.max(1, Math.ceil(form.lines.length / ROWS_A_PAGE));
  for (let page = 0; page < pages; page += 1) {
    document.addPage();
    const top = drawHead(drawing);
    drawTable(drawing, page * ROWS_A_PAGE, top);
    if (page === pages - 1) drawEnd(drawing);
    typesetter.line(words.page(page + 1, pages), PAGE_WIDTH - MARGIN, FOOTER_TOP, STYLES.note, 'right');
  }
  document.end();
  const chunks: Buffer[] = [];
  for await (const chunk of document) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Draws the names of the association and the meeting. @returns the top of the table */
function drawHead({ typesetter, form, words, figures }: Drawing): number {
  const title = typesetter.fit(form.association.name, TEXT_WIDTH, STYLES.figure);
  typesetter.line(title, MARGIN, MARGIN, STYLES.figure);
  const meeting = `${words.title}: ${words.meeting(form.meeting, figures.longDay(form.meeting.due_on))}`;
  const second = MARGIN + lineHeight(STYLES.figure) + 2;
  typesetter.line(typesetter.fit(meeting, TEXT_WIDTH, STYLES.value), MARGIN, second, STYLES.value);
  const third = second + lineHeight(STYLES.value) + 2;
  typesetter.line(words.amountsIn(form.currency, figures.moment(form.made_at)), MARGIN, third, STYLES.note);
  return third + lineHeight(STYLES.note) + 6;
}

/** Draws the header and the rows of one page. */
function drawTable(drawing: Drawing, first: number, top: number): void {
  const { document, typesetter, form, words } = drawing;
  document.rect(MARGIN, top, TEXT_WIDTH, HEADER_HEIGHT).fill(COLORS.accent);
  for (const { column, x, width } of cells()) {
    if (column === 'number') continue;
    const label = typesetter.fit(words.columns[column], width - 2, STYLES.header);
    typesetter.line(label, x + PADDING, top + PADDING + 1, STYLES.header);
  }
  const lines = form.lines.slice(first, first + ROWS_A_PAGE);
  for (const [index, line] of lines.entries()) {
    drawRow(drawing, line, first + index + 1, top + HEADER_HEIGHT + index * ROW_HEIGHT);
  }
}

function drawRow(
  { document, typesetter, figures }: Drawing,
  line: MeetingForm['lines'][number],
  number: number,
  y: number,
): void {
  const printed: Partial<Record<Column, string>> = {
    number: String(number),
    name: line.display_name ?? '',
    due: owed(line.outstanding),
    arrears: owed(line.arrears),
    fines: owed(line.fines),
  };
  const baseline = y + (ROW_HEIGHT - lineHeight(STYLES.cell)) / 2;
  for (const { column, x, width } of cells()) {
    document.rect(x, y, width, ROW_HEIGHT).lineWidth(0.5).stroke(COLORS.line);
    if (CHECKS.includes(column)) {
      const left = x + (width - CHECK_SIZE) / 2;
      document
        .rect(left, y + (ROW_HEIGHT - CHECK_SIZE) / 2, CHECK_SIZE, CHECK_SIZE)
        .lineWidth(0.8)
        .stroke(COLORS.ink);
    }
    const text = printed[column];
    if (text === undefined || text === '') continue;
    const fitted = typesetter.fit(text, width - 2 * PADDING, STYLES.cell);
    if (column === 'name') typesetter.line(fitted, x + PADDING, baseline, STYLES.cell);
    else typesetter.line(fitted, x + width - PADDING, baseline, STYLES.cell, 'right');
  }

  function owed(amount: number): string {
    return amount === 0 ? '' : figures.amount(amount);
  }
}

/** Draws the lines for the cash, a note and the signatures at the end of the last page. */
function drawEnd({ document, typesetter, words }: Drawing): void {
  const third = TEXT_WIDTH / 3;
  const rule = (label: string, x: number, y: number, width: number) => {
    typesetter.line(label, x, y, STYLES.label);
    const from = x + typesetter.width(label, STYLES.label) + 4;
    document
      .moveTo(from, y + 9)
      .lineTo(x + width - 8, y + 9)
      .lineWidth(0.5)
      .stroke(COLORS.soft);
  };
  const cash = BODY_BOTTOM - 74;
  for (const [index, label] of [words.counted, words.expected, words.difference].entries()) {
    rule(label, MARGIN + index * third, cash, third);
  }
  rule(words.note, MARGIN, cash + 24, TEXT_WIDTH);
  for (const [index, label] of words.signatures.entries()) rule(label, MARGIN + index * third, cash + 56, third);
}

/** Returns the columns with their places. */
function cells(): { column: Column; x: number; width: number }[] {
  let x = MARGIN;
  return COLUMNS.map(([column, width]) => {
    const cell = { column, x, width };
    x += width;
    return cell;
  });
}
