/** Draws a sheet of a meeting: a table with 25 members on a page of A4, the cash, a note and signatures. */
import PDFDocument from 'pdfkit';
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
import type { Column, Field, SheetTexts } from './sheet-texts.view.ts';

/** As many rows as have room for handwriting on a page that has the signatures too. */
const ROWS_A_PAGE = 25;

/** Heights in points. */
const ROW_HEIGHT = 22;
const HEADER_HEIGHT = 18;
const PADDING = 3;
const BOX_SIZE = 9;

interface Drawing {
  document: PDFKit.PDFDocument;
  typesetter: Typesetter;
  texts: SheetTexts;
}

/** Writes a sheet as PDF with embedded fonts. The same texts give the same bytes. */
export async function sheetPdf(texts: SheetTexts): Promise<Buffer> {
  const made = new Date(texts.made_at);
  const document = new PDFDocument({
    size: [PAGE_WIDTH, PAGE_HEIGHT],
    margin: 0,
    autoFirstPage: false,
    pdfVersion: '1.7',
    lang: texts.language,
    displayTitle: true,
    // The file's id is derived from these values, so nothing in the file is random.
    info: {
      Title: `${texts.title}: ${texts.association}`,
      Producer: 'association-service',
      Creator: 'association-service',
      CreationDate: made,
      ModDate: made,
    },
  });
  const typesetter = await Typesetter.create(document);
  const drawing = { document, typesetter, texts };
  const pages = Math.max(1, Math.ceil(texts.rows.length / ROWS_A_PAGE));
  for (let page = 0; page < pages; page += 1) {
    document.addPage();
    const bottom = drawTable(drawing, page * ROWS_A_PAGE, drawHead(drawing));
    if (page === pages - 1) drawEnd(drawing, bottom);
    typesetter.line(texts.page(page + 1, pages), PAGE_WIDTH - MARGIN, FOOTER_TOP, STYLES.note, 'right');
  }
  document.end();
  const chunks: Buffer[] = [];
  for await (const chunk of document) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Draws the names of the association and the meeting. @returns the top of the table */
function drawHead({ typesetter, texts }: Drawing): number {
  const lines = [
    [texts.association, STYLES.figure],
    [texts.meeting, STYLES.value],
    [texts.subtitle, STYLES.note],
  ] as const;
  let y = MARGIN;
  for (const [text, style] of lines) {
    typesetter.line(typesetter.fit(text, TEXT_WIDTH, style), MARGIN, y, style);
    y += lineHeight(style) + 2;
  }
  return y + 4;
}

/** Draws the header and the rows of one page. @returns their bottom */
function drawTable(drawing: Drawing, first: number, top: number): number {
  const { document, typesetter, texts } = drawing;
  document.rect(MARGIN, top, TEXT_WIDTH, HEADER_HEIGHT).fill(COLORS.accent);
  for (const { label, x, width } of cellsOf(texts.columns)) {
    typesetter.line(typesetter.fit(label, width - 2, STYLES.header), x + PADDING, top + PADDING + 1, STYLES.header);
  }
  let y = top + HEADER_HEIGHT;
  for (const row of texts.rows.slice(first, first + ROWS_A_PAGE)) {
    drawRow(drawing, row, y);
    y += ROW_HEIGHT;
  }
  return y;
}

function drawRow({ document, typesetter, texts }: Drawing, row: readonly string[], y: number): void {
  const baseline = y + (ROW_HEIGHT - lineHeight(STYLES.cell)) / 2;
  for (const [index, { shows, x, width }] of cellsOf(texts.columns).entries()) {
    document.rect(x, y, width, ROW_HEIGHT).lineWidth(0.5).stroke(COLORS.line);
    if (shows === 'box') {
      const left = x + (width - BOX_SIZE) / 2;
      const upper = y + (ROW_HEIGHT - BOX_SIZE) / 2;
      document.rect(left, upper, BOX_SIZE, BOX_SIZE).lineWidth(0.8).stroke(COLORS.ink);
    }
    const text = typesetter.fit(row[index] ?? '', width - 2 * PADDING, STYLES.cell);
    if (shows === 'figure') typesetter.line(text, x + width - PADDING, baseline, STYLES.cell, 'right');
    else typesetter.line(text, x + PADDING, baseline, STYLES.cell);
  }
}

/** Draws what follows the rows on the last page: totals and remarks below them, and cash, note and signatures at its end. */
function drawEnd(drawing: Drawing, bottom: number): void {
  const { typesetter, texts } = drawing;
  let y = bottom;
  if (texts.totals !== undefined) {
    drawRow(drawing, texts.totals, y);
    y += ROW_HEIGHT;
  }
  for (const remark of texts.remarks) {
    y += 1;
    typesetter.line(typesetter.fit(remark, TEXT_WIDTH, STYLES.note), MARGIN, y, STYLES.note);
    y += lineHeight(STYLES.note);
  }
  const third = TEXT_WIDTH / 3;
  const cash = BODY_BOTTOM - 66;
  for (const [index, field] of texts.cash.entries()) drawField(drawing, field, MARGIN + index * third, cash, third);
  drawField(drawing, texts.note, MARGIN, cash + 22, TEXT_WIDTH);
  for (const [index, label] of texts.signatures.entries()) {
    drawField(drawing, [label], MARGIN + index * third, cash + 50, third);
  }
}

function drawField({ document, typesetter }: Drawing, [label, text]: Field, x: number, y: number, width: number): void {
  typesetter.line(label, x, y, STYLES.label);
  const from = x + typesetter.width(label, STYLES.label) + 4;
  const to = x + width - 8;
  if (text !== undefined) typesetter.line(typesetter.fit(text, to - from, STYLES.value), from, y - 1.5, STYLES.value);
  else {
    document
      .moveTo(from, y + 9)
      .lineTo(to, y + 9)
      .lineWidth(0.5)
      .stroke(COLORS.soft);
  }
}

/** Returns the columns with their places. */
function cellsOf(columns: readonly Column[]): (Column & { x: number; width: number })[] {
  const fixed = columns.reduce((sum, { width = 0 }) => sum + width, 0);
  let x = MARGIN;
  return columns.map((column) => {
    const cell = { ...column, x, width: column.width ?? TEXT_WIDTH - fixed };
    x += cell.width;
    return cell;
  });
}
