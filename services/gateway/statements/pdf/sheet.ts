import type { Statement } from '../../../../lib/contracts/treasury.ts';
import type { Figures } from '../figures.view.ts';
import type { StatementWords } from '../words.view.ts';
import { COLORS, FOOTER_TOP, MARGIN, PAGE_WIDTH, STYLES, TEXT_WIDTH } from './paper.ts';
import { CELL_PADDING } from './rows.ts';
import type { Columns, Row } from './rows.ts';
import { Typesetter } from './typesetter.ts';
import type { Style } from './typesetter.ts';

/** What the parts of a statement's pages are drawn with. */
export interface Sheet {
  document: PDFKit.PDFDocument;
  set: Typesetter;
  statement: Statement;
  words: StatementWords;
  figures: Figures;
  columns: Columns;
}

export const TABLE_HEAD_HEIGHT = 20;

/** The summary's boxes, in rows. */
const BOXES_A_ROW = 3;
const BOX_ROWS = 2;
const BOX_HEIGHT = 40;
const BOX_GAP = 8;
const BOX_PADDING = 8;
const BOXES_HEIGHT = BOX_ROWS * BOX_HEIGHT + (BOX_ROWS - 1) * BOX_GAP;
/** The arrears of more rounds are only counted: they share the first page with the table. */
const ARREARS_MAX_LINES = 12;
/** Between the parts of a page. */
const PART_GAP = 14;
/** A name may be long: it gets a second line, no more. */
const TITLE_MAX_LINES = 2;
const LABEL_WIDTH = 96;
const PARTICULAR_HEIGHT = 15;
/** Of DejaVu: how far above the line its type begins, for each point. */
const ASCENT = 0.93;

const lineOf = (style: Style) => Typesetter.lineHeight(style);

function titleLines({ set, statement }: Sheet): string[] {
  const lines = set.wrap(statement.association.name, TEXT_WIDTH, STYLES.title);
  if (lines.length <= TITLE_MAX_LINES) return lines;
  const rest = lines.slice(TITLE_MAX_LINES - 1).join(' ');
  return [...lines.slice(0, TITLE_MAX_LINES - 1), set.fitting(rest, TEXT_WIDTH, STYLES.title)];
}

/** Who and when: a label and a value a line. */
function particulars({ set, statement, words, figures }: Sheet): [string, string][] {
  const { member, from, to, made_at } = statement;
  const until = figures.longDay(to ?? made_at);
  return [
    [words.member, set.fitting(member.display_name ?? member.user_id, TEXT_WIDTH - LABEL_WIDTH, STYLES.figure)],
    [words.memberId, member.id],
    [words.period, words.span(from === null ? undefined : figures.longDay(from), until)],
    [words.made, figures.moment(made_at)],
  ];
}

function notes(sheet: Sheet): string[] {
  const { set, statement, words } = sheet;
  const texts = [words.whatBalanceMeans, words.amountsIn(statement.currency)];
  const lines = [...texts, ...arrearsLines(sheet)].flatMap((text) => set.wrap(text, TEXT_WIDTH, STYLES.note));
  return statement.movements.length > 0 ? lines : [...lines, words.noMovements];
}

/** What is owed, by round. */
function arrearsLines({ statement: { arrears }, words, figures }: Sheet): string[] {
  const amountOrNone = (amount: number) => (amount > 0 ? figures.money(amount) : undefined);
  const lines = arrears
    .slice(0, ARREARS_MAX_LINES)
    .map(({ meeting, owes, is_owed }) =>
      words.arrears(amountOrNone(owes), amountOrNone(is_owed), words.meetingName(meeting, figures.day(meeting.due_on))),
    );
  const more = arrears.length - lines.length;
  return more === 0 ? lines : [...lines, words.moreArrears(more)];
}

/** The height of what stands above the table on the first page. */
export function headingHeight(sheet: Sheet): number {
  const head = titleLines(sheet).length * lineOf(STYLES.title) + lineOf(STYLES.subtitle) + PART_GAP;
  const who = particulars(sheet).length * PARTICULAR_HEIGHT + PART_GAP;
  return head + who + BOXES_HEIGHT + PART_GAP / 2 + notes(sheet).length * lineOf(STYLES.note) + PART_GAP / 2;
}

/** @returns where the table begins */
export function drawHeading(sheet: Sheet): number {
  const { set } = sheet;
  let y = MARGIN;
  for (const line of titleLines(sheet)) {
    set.line(line, MARGIN, y, STYLES.title);
    y += lineOf(STYLES.title);
  }
  set.line(sheet.words.title, MARGIN, y, STYLES.subtitle);
  y += lineOf(STYLES.subtitle) + PART_GAP;
  for (const [index, [label, value]] of particulars(sheet).entries()) {
    set.line(label, MARGIN, y + 2, STYLES.label);
    set.line(value, MARGIN + LABEL_WIDTH, index === 0 ? y - 1 : y + 1, index === 0 ? STYLES.figure : STYLES.value);
    y += PARTICULAR_HEIGHT;
  }
  y += PART_GAP;
  drawBoxes(sheet, y);
  y += BOXES_HEIGHT + PART_GAP / 2;
  for (const line of notes(sheet)) {
    set.line(line, MARGIN, y, STYLES.note);
    y += lineOf(STYLES.note);
  }
  return y + PART_GAP / 2;
}

function drawBoxes({ document, set, statement, words, figures }: Sheet, top: number): void {
  const boxes: [string, number][] = [
    [words.opening, statement.opening_balance],
    [words.paidIn, statement.paid_in],
    [words.paidOut, statement.paid_out],
    [words.closing, statement.closing_balance],
    [words.owes, statement.owes],
    [words.isOwed, statement.is_owed],
  ];
  const width = (TEXT_WIDTH - BOX_GAP * (BOXES_A_ROW - 1)) / BOXES_A_ROW;
  for (const [index, [label, amount]] of boxes.entries()) {
    const x = MARGIN + (index % BOXES_A_ROW) * (width + BOX_GAP);
    const y = top + Math.floor(index / BOXES_A_ROW) * (BOX_HEIGHT + BOX_GAP);
    document.rect(x, y, width, BOX_HEIGHT).fill(COLORS.tint);
    set.line(label, x + BOX_PADDING, y + BOX_PADDING, STYLES.label);
    const money = figures.money(amount);
    // The largest amounts that there are do not fit in this size.
    const fits = set.width(money, STYLES.figure) <= width - 2 * BOX_PADDING;
    set.line(money, x + BOX_PADDING, y + BOX_PADDING + lineOf(STYLES.label) + 2, fits ? STYLES.figure : STYLES.label);
  }
}

/** @returns where the table ends */
export function drawTable(sheet: Sheet, rows: readonly Row[], top: number): number {
  if (rows.length === 0) return top;
  const { document, set, words, columns } = sheet;
  document.rect(MARGIN, top, TEXT_WIDTH, TABLE_HEAD_HEIGHT).fill(COLORS.accent);
  const baseline = top + (TABLE_HEAD_HEIGHT - lineOf(STYLES.head)) / 2;
  const { date, number, movement, method, paidIn, paidOut, balance } = words;
  const head = { date, number, movement: [movement], notes: [], method, paidIn, paidOut, balance };
  drawCells(set, columns, head, baseline, STYLES.head);
  let y = top + TABLE_HEAD_HEIGHT;
  for (const row of rows) {
    drawRow(sheet, row, y);
    y += row.height;
  }
  return y;
}

function drawRow({ document, set, columns }: Sheet, row: Row, top: number): void {
  if (row.strong) document.rect(MARGIN, top, TEXT_WIDTH, row.height).fill(COLORS.tint);
  drawCells(set, columns, row, top + CELL_PADDING, row.strong ? STYLES.strong : STYLES.cell);
  const bottom = top + row.height;
  document
    .moveTo(MARGIN, bottom)
    .lineTo(PAGE_WIDTH - MARGIN, bottom)
    .lineWidth(0.5)
    .stroke(COLORS.line);
}

/** Sets the cells in the order in which they are read, which is also that of text copied from the page. */
function drawCells(set: Typesetter, columns: Columns, row: Omit<Row, 'strong' | 'height'>, top: number, style: Style) {
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
      y += lineOf(lineStyle);
    }
  }
  cell(row.method, columns.method, 'left');
  const amountStyle = style === STYLES.head ? style : { ...style, size: columns.amountSize };
  cell(row.paidIn, columns.paidIn, 'right', amountStyle);
  cell(row.paidOut, columns.paidOut, 'right', amountStyle);
  cell(row.balance, columns.balance, 'right', amountStyle);
}

function verification({ set, statement, words }: Sheet): string[] {
  const { seq } = statement.ledger_head;
  const text = seq === 0 ? words.emptyLedger : words.verify(seq);
  return set.wrap(text, TEXT_WIDTH - 2 * BOX_PADDING, STYLES.cell);
}

/** The height of what stands below the table on the last page. */
export function verificationHeight(sheet: Sheet): number {
  const lines = verification(sheet).length * lineOf(STYLES.cell);
  return PART_GAP + 2 * BOX_PADDING + lineOf(STYLES.strong) + 2 + lines + 4 + lineOf(STYLES.hash);
}

/** Directly below the table. */
export function drawVerification(sheet: Sheet, tableBottom: number): void {
  const { document, set, statement, words } = sheet;
  const { seq, hash } = statement.ledger_head;
  const top = tableBottom + PART_GAP;
  document
    .rect(MARGIN, top, TEXT_WIDTH, verificationHeight(sheet) - PART_GAP)
    .lineWidth(0.75)
    .stroke(COLORS.accent);
  const x = MARGIN + BOX_PADDING;
  let y = top + BOX_PADDING;
  set.line(words.verifyTitle, x, y, STYLES.strong);
  y += lineOf(STYLES.strong) + 2;
  for (const line of verification(sheet)) {
    set.line(line, x, y, STYLES.cell);
    y += lineOf(STYLES.cell);
  }
  set.line(`${words.number} ${String(seq)}   ${hash}`, x, y + 4, STYLES.hash);
}

export function drawFooter({ document, set, statement, words }: Sheet, page: number, pages: number): void {
  document
    .moveTo(MARGIN, FOOTER_TOP - 6)
    .lineTo(PAGE_WIDTH - MARGIN, FOOTER_TOP - 6)
    .lineWidth(0.5)
    .stroke(COLORS.line);
  const numbering = words.page(page, pages);
  const { association, member } = statement;
  const name = `${association.name} · ${member.display_name ?? member.user_id}`;
  const room = TEXT_WIDTH - set.width(numbering, STYLES.note) - PART_GAP;
  set.line(set.fitting(name, room, STYLES.note), MARGIN, FOOTER_TOP, STYLES.note);
  set.line(numbering, PAGE_WIDTH - MARGIN, FOOTER_TOP, STYLES.note, 'right');
}
