/** The parts above and below the table: heading, verification, footer. */
import {
  COLORS,
  FOOTER_TOP,
  gap,
  lineHeight,
  MARGIN,
  PAGE_WIDTH,
  PART_GAP,
  rule,
  STYLES,
  TEXT_WIDTH,
  textBlocks,
} from './paper.ts';
import type { Block, Sheet } from './paper.ts';

/** The boxes of the summary, in rows. */
const BOXES_A_ROW = 3;
const BOX_ROWS = 2;
const BOX_HEIGHT = 40;
const BOX_GAP = 8;
const BOX_PADDING = 8;
/** The arrears of further rounds are only counted: they share the first page with the table. */
const ARREARS_MAX_LINES = 12;
/** A long name gets a second line, no more. */
const TITLE_MAX_LINES = 2;
const LABEL_WIDTH = 96;
const PARTICULAR_HEIGHT = 15;

/** What stands above the table on the first page. */
export function heading(sheet: Sheet): Block[] {
  const { set, words } = sheet;
  return [
    ...textBlocks(set, titleLines(sheet), STYLES.title),
    ...textBlocks(set, [words.title], STYLES.subtitle),
    gap(PART_GAP),
    ...particulars(sheet),
    gap(PART_GAP),
    summary(sheet),
    gap(PART_GAP / 2),
    ...textBlocks(set, noteLines(sheet), STYLES.note),
    gap(PART_GAP / 2),
  ];
}

function titleLines({ set, statement }: Sheet): string[] {
  const lines = set.wrap(statement.association.name, TEXT_WIDTH, STYLES.title);
  if (lines.length <= TITLE_MAX_LINES) return lines;
  const rest = lines.slice(TITLE_MAX_LINES - 1).join(' ');
  return [...lines.slice(0, TITLE_MAX_LINES - 1), set.fitting(rest, TEXT_WIDTH, STYLES.title)];
}

/** Whose statement it is and of when: a label and a value a line. */
function particulars({ set, statement, words, figures }: Sheet): Block[] {
  const { member, from, to, made_at } = statement;
  const name = set.fitting(member.display_name ?? member.user_id, TEXT_WIDTH - LABEL_WIDTH, STYLES.figure);
  const period = words.span(from === null ? undefined : figures.longDay(from), figures.longDay(to ?? made_at));
  const particular = (label: string, value: string, style: typeof STYLES.figure | typeof STYLES.value): Block => ({
    height: PARTICULAR_HEIGHT,
    draw(y) {
      set.line(label, MARGIN, y + 2, STYLES.label);
      // Larger type begins higher, to stand on the label's line.
      set.line(value, MARGIN + LABEL_WIDTH, style === STYLES.figure ? y - 1 : y + 1, style);
    },
  });
  return [
    particular(words.member, name, STYLES.figure),
    particular(words.memberId, member.id, STYLES.value),
    particular(words.period, period, STYLES.value),
    particular(words.made, figures.moment(made_at), STYLES.value),
  ];
}

/** The balances and totals, each in a box. */
function summary({ document, set, statement, words, figures }: Sheet): Block {
  const boxes: [string, number][] = [
    [words.opening, statement.opening_balance],
    [words.paidIn, statement.paid_in],
    [words.paidOut, statement.paid_out],
    [words.closing, statement.closing_balance],
    [words.owes, statement.owes],
    [words.isOwed, statement.is_owed],
  ];
  const width = (TEXT_WIDTH - BOX_GAP * (BOXES_A_ROW - 1)) / BOXES_A_ROW;
  const drawBox = (label: string, amount: number, x: number, y: number) => {
    document.rect(x, y, width, BOX_HEIGHT).fill(COLORS.tint);
    set.line(label, x + BOX_PADDING, y + BOX_PADDING, STYLES.label);
    const money = figures.money(amount);
    // The largest possible amounts do not fit in this size.
    const fits = set.width(money, STYLES.figure) <= width - 2 * BOX_PADDING;
    const baseline = y + BOX_PADDING + lineHeight(STYLES.label) + 2;
    set.line(money, x + BOX_PADDING, baseline, fits ? STYLES.figure : STYLES.label);
  };
  return {
    height: BOX_ROWS * BOX_HEIGHT + (BOX_ROWS - 1) * BOX_GAP,
    draw(top) {
      for (const [index, [label, amount]] of boxes.entries()) {
        const x = MARGIN + (index % BOXES_A_ROW) * (width + BOX_GAP);
        drawBox(label, amount, x, top + Math.floor(index / BOXES_A_ROW) * (BOX_HEIGHT + BOX_GAP));
      }
    },
  };
}

/** What the figures mean, and which arrears there are by round. */
function noteLines({ set, statement, words, figures }: Sheet): string[] {
  const { arrears, currency, movements } = statement;
  const amountOrNone = (amount: number) => (amount > 0 ? figures.money(amount) : undefined);
  const owed = arrears
    .slice(0, ARREARS_MAX_LINES)
    .map(({ meeting, owes, is_owed }) =>
      words.arrears(amountOrNone(owes), amountOrNone(is_owed), words.meetingName(meeting, figures.day(meeting.due_on))),
    );
  if (arrears.length > owed.length) owed.push(words.moreArrears(arrears.length - owed.length));
  const texts = [words.whatBalanceMeans, words.amountsIn(currency), ...owed];
  const lines = texts.flatMap((text) => set.wrap(text, TEXT_WIDTH, STYLES.note));
  return movements.length > 0 ? lines : [...lines, words.noMovements];
}

/** What stands below the table on the last page: how to verify the statement, and the hash to verify it by. */
export function verification({ document, set, statement, words }: Sheet): Block[] {
  const { seq, hash } = statement.ledger_head;
  const text = seq === 0 ? words.emptyLedger : words.verify(seq);
  const lines = set.wrap(text, TEXT_WIDTH - 2 * BOX_PADDING, STYLES.cell);
  const title = lineHeight(STYLES.strong) + 2;
  const height = 2 * BOX_PADDING + title + lines.length * lineHeight(STYLES.cell) + 4 + lineHeight(STYLES.hash);
  const draw = (top: number) => {
    document.rect(MARGIN, top, TEXT_WIDTH, height).lineWidth(0.75).stroke(COLORS.accent);
    const x = MARGIN + BOX_PADDING;
    let y = top + BOX_PADDING;
    set.line(words.verifyTitle, x, y, STYLES.strong);
    y += title;
    for (const line of lines) {
      set.line(line, x, y, STYLES.cell);
      y += lineHeight(STYLES.cell);
    }
    set.line(`${words.number} ${String(seq)}   ${hash}`, x, y + 4, STYLES.hash);
  };
  return [gap(PART_GAP), { height, draw }];
}

export function drawFooter({ document, set, statement, words }: Sheet, page: number, pages: number): void {
  rule(document, FOOTER_TOP - 6);
  const numbering = words.page(page, pages);
  const { association, member } = statement;
  const name = `${association.name} · ${member.display_name ?? member.user_id}`;
  const room = TEXT_WIDTH - set.width(numbering, STYLES.note) - PART_GAP;
  set.line(set.fitting(name, room, STYLES.note), MARGIN, FOOTER_TOP, STYLES.note);
  set.line(numbering, PAGE_WIDTH - MARGIN, FOOTER_TOP, STYLES.note, 'right');
}
