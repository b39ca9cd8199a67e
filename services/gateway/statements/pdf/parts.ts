/** The parts above and below the table: the top of the first page, the verification, the footer. */
import {
  COLORS,
  drawLine,
  FOOTER_TOP,
  gap,
  lineHeight,
  MARGIN,
  PAGE_WIDTH,
  PART_GAP,
  STYLES,
  TEXT_WIDTH,
  textBlocks,
} from './paper.ts';
import type { Block, DrawingContext } from './paper.ts';

/** The layout of the boxes of the summary. Lengths are in points. */
const BOXES_PER_ROW = 3;
const BOX_ROWS = 2;
const BOX_HEIGHT = 40;
const BOX_GAP = 8;
const BOX_PADDING = 8;
/** Arrears of further rounds are only counted, because they share the first page with the table. */
const ARREARS_MAX_LINES = 12;
/** Further fines are only counted. */
const FINES_MAX_LINES = 6;
/** A longer name is cut off. */
const TITLE_MAX_LINES = 2;
const LABEL_WIDTH = 96;
const DETAIL_HEIGHT = 15;

/** Builds the part above the table on the first page. */
export function buildTop(context: DrawingContext): Block[] {
  const { typesetter, words } = context;
  return [
    ...textBlocks(typesetter, titleLines(context), STYLES.title),
    ...textBlocks(typesetter, [words.title], STYLES.subtitle),
    gap(PART_GAP),
    ...buildDetails(context),
    gap(PART_GAP),
    buildSummary(context),
    gap(PART_GAP / 2),
    ...textBlocks(typesetter, noteLines(context), STYLES.note),
    gap(PART_GAP / 2),
  ];
}

function titleLines({ typesetter, statement }: DrawingContext): string[] {
  const lines = typesetter.wrap(statement.association.name, TEXT_WIDTH, STYLES.title);
  if (lines.length <= TITLE_MAX_LINES) return lines;
  const rest = lines.slice(TITLE_MAX_LINES - 1).join(' ');
  return [...lines.slice(0, TITLE_MAX_LINES - 1), typesetter.fit(rest, TEXT_WIDTH, STYLES.title)];
}

/** Builds the lines with the member and the period: a label and a value in each. */
function buildDetails({ typesetter, statement, words, figures }: DrawingContext): Block[] {
  const { member, from, to, made_at } = statement;
  const name = typesetter.fit(member.display_name ?? member.user_id, TEXT_WIDTH - LABEL_WIDTH, STYLES.figure);
  const period = words.span(from === null ? undefined : figures.longDay(from), figures.longDay(to ?? made_at));
  const detail = (label: string, value: string, style: typeof STYLES.figure | typeof STYLES.value): Block => ({
    height: DETAIL_HEIGHT,
    draw(y) {
      typesetter.line(label, MARGIN, y + 2, STYLES.label);
      // Larger type starts higher, so that it is on the same baseline as the label.
      typesetter.line(value, MARGIN + LABEL_WIDTH, style === STYLES.figure ? y - 1 : y + 1, style);
    },
  });
  return [
    detail(words.member, name, STYLES.figure),
    detail(words.memberId, member.id, STYLES.value),
    detail(words.period, period, STYLES.value),
    detail(words.made, figures.moment(made_at), STYLES.value),
  ];
}

/** Builds the balances and totals, each in a box. */
function buildSummary({ document, typesetter, statement, words, figures }: DrawingContext): Block {
  const boxes: [string, number][] = [
    [words.opening, statement.opening_balance],
    [words.paidIn, statement.paid_in],
    [words.paidOut, statement.paid_out],
    [words.closing, statement.closing_balance],
    [words.owes, statement.owes],
    [words.isOwed, statement.is_owed],
  ];
  const width = (TEXT_WIDTH - BOX_GAP * (BOXES_PER_ROW - 1)) / BOXES_PER_ROW;
  const drawBox = (label: string, amount: number, x: number, y: number) => {
    document.rect(x, y, width, BOX_HEIGHT).fill(COLORS.tint);
    typesetter.line(label, x + BOX_PADDING, y + BOX_PADDING, STYLES.label);
    const money = figures.money(amount);
    // The largest amounts need the smaller font.
    const fits = typesetter.width(money, STYLES.figure) <= width - 2 * BOX_PADDING;
    const baseline = y + BOX_PADDING + lineHeight(STYLES.label) + 2;
    typesetter.line(money, x + BOX_PADDING, baseline, fits ? STYLES.figure : STYLES.label);
  };
  return {
    height: BOX_ROWS * BOX_HEIGHT + (BOX_ROWS - 1) * BOX_GAP,
    draw(top) {
      for (const [index, [label, amount]] of boxes.entries()) {
        const x = MARGIN + (index % BOXES_PER_ROW) * (width + BOX_GAP);
        drawBox(label, amount, x, top + Math.floor(index / BOXES_PER_ROW) * (BOX_HEIGHT + BOX_GAP));
      }
    },
  };
}

/** Returns the lines that explain the figures and list the arrears by round. */
function noteLines({ typesetter, statement, words, figures }: DrawingContext): string[] {
  const { arrears, fines, fines_outstanding, currency, time_zone, movements } = statement;
  const amountOrNone = (amount: number) => (amount > 0 ? figures.money(amount) : undefined);
  const owed = arrears
    .slice(0, ARREARS_MAX_LINES)
    .map(({ meeting, owes, is_owed }) =>
      words.arrears(amountOrNone(owes), amountOrNone(is_owed), words.meetingName(meeting, figures.day(meeting.due_on))),
    );
  if (arrears.length > owed.length) owed.push(words.moreArrears(arrears.length - owed.length));
  const fined = fines
    .slice(0, FINES_MAX_LINES)
    .map(({ code, outstanding, assessed_at }) =>
      words.fine(figures.money(outstanding), figures.day(assessed_at), code),
    );
  if (fined.length > 0) fined.unshift(words.fines(fines.length, figures.money(fines_outstanding)));
  const texts = [words.whatBalanceMeans, words.amountsIn(currency, time_zone), ...owed, ...fined];
  const lines = texts.flatMap((text) => typesetter.wrap(text, TEXT_WIDTH, STYLES.note));
  return movements.length > 0 ? lines : [...lines, words.noMovements];
}

/** Builds the part below the table on the last page: how to verify the statement, and the hash for it. */
export function buildVerification({ document, typesetter, statement, words }: DrawingContext): Block[] {
  const { seq, hash } = statement.ledger_head;
  const text = seq === 0 ? words.emptyLedger : words.verify(seq);
  const lines = typesetter.wrap(text, TEXT_WIDTH - 2 * BOX_PADDING, STYLES.cell);
  const title = lineHeight(STYLES.strong) + 2;
  const height = 2 * BOX_PADDING + title + lines.length * lineHeight(STYLES.cell) + 4 + lineHeight(STYLES.hash);
  const draw = (top: number) => {
    document.rect(MARGIN, top, TEXT_WIDTH, height).lineWidth(0.75).stroke(COLORS.accent);
    const x = MARGIN + BOX_PADDING;
    let y = top + BOX_PADDING;
    typesetter.line(words.verifyTitle, x, y, STYLES.strong);
    y += title;
    for (const line of lines) {
      typesetter.line(line, x, y, STYLES.cell);
      y += lineHeight(STYLES.cell);
    }
    typesetter.line(`${words.number} ${String(seq)}   ${hash}`, x, y + 4, STYLES.hash);
  };
  return [gap(PART_GAP), { height, draw }];
}

/** Draws the footer of a page: the names and the page number. */
export function drawFooter(
  { document, typesetter, statement, words }: DrawingContext,
  page: number,
  pages: number,
): void {
  drawLine(document, FOOTER_TOP - 6);
  const numbering = words.page(page, pages);
  const { association, member } = statement;
  const name = `${association.name} · ${member.display_name ?? member.user_id}`;
  const room = TEXT_WIDTH - typesetter.width(numbering, STYLES.note) - PART_GAP;
  typesetter.line(typesetter.fit(name, room, STYLES.note), MARGIN, FOOTER_TOP, STYLES.note);
  typesetter.line(numbering, PAGE_WIDTH - MARGIN, FOOTER_TOP, STYLES.note, 'right');
}
