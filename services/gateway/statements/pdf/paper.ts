/** The basics of the pages of a statement: sizes, colours, styles, and stacking of blocks. */
import type { Statement } from '../../../../lib/contracts/treasury.ts';
import type { Figures } from '../figures.view.ts';
import type { StatementWords } from '../words.view.ts';
import type { Style, Typesetter } from './typesetter.ts';

/** Everything that is needed to draw a part of a page. */
export interface DrawingContext {
  document: PDFKit.PDFDocument;
  typesetter: Typesetter;
  statement: Statement;
  words: StatementWords;
  figures: Figures;
}

/** A4, in points of 1/72 inch. Most printers print the area within the margins without cropping. */
export const PAGE_WIDTH = 595.28;
export const PAGE_HEIGHT = 841.89;
export const MARGIN = 42;
export const TEXT_WIDTH = PAGE_WIDTH - 2 * MARGIN;

/** The lowest point of the content of a page, and the top of the footer. */
export const BODY_BOTTOM = PAGE_HEIGHT - 58;
export const FOOTER_TOP = PAGE_HEIGHT - 44;

/** The space between the parts of a page. */
export const PART_GAP = 14;

/** The accent is dark enough to print well in black and white. */
export const COLORS = { ink: '#1b1f24', soft: '#5b6470', accent: '#0b4f4a', line: '#c9d0d6', tint: '#eef3f2' } as const;

export const STYLES = {
  title: { face: 'bold', size: 19, color: COLORS.ink },
  subtitle: { face: 'regular', size: 12, color: COLORS.accent },
  label: { face: 'regular', size: 8, color: COLORS.soft },
  value: { face: 'regular', size: 9.5, color: COLORS.ink },
  figure: { face: 'bold', size: 11, color: COLORS.ink },
  header: { face: 'bold', size: 8, color: '#ffffff' },
  cell: { face: 'regular', size: 8.5, color: COLORS.ink },
  strong: { face: 'bold', size: 8.5, color: COLORS.ink },
  note: { face: 'regular', size: 7.5, color: COLORS.soft },
  hash: { face: 'mono', size: 8, color: COLORS.ink },
} as const satisfies Record<string, Style>;

/** The line height per point of font size. */
const LEADING = 1.25;

/** Returns the height of a line in points. */
export function lineHeight({ size }: Style): number {
  return size * LEADING;
}

/** A part of a page that is kept together. draw() draws it with its top at `y`. */
export interface Block {
  height: number;
  draw(y: number): void;
}

/** Returns one block for each line of text. */
export function textBlocks(typesetter: Typesetter, lines: readonly string[], style: Style): Block[] {
  return lines.map((line) => ({
    height: lineHeight(style),
    draw: (y) => {
      typesetter.line(line, MARGIN, y, style);
    },
  }));
}

/** Returns an empty block. */
export function gap(height: number): Block {
  return { height, draw: () => undefined };
}

/** Returns the total height of blocks. */
export function heightOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { height }) => sum + height, 0);
}

/** Draws blocks below one another. */
export function drawBlocks(blocks: readonly Block[], top: number): void {
  let y = top;
  for (const block of blocks) {
    block.draw(y);
    y += block.height;
  }
}

/** Draws a thin line across the width of the text. */
export function drawLine(document: PDFKit.PDFDocument, y: number): void {
  document
    .moveTo(MARGIN, y)
    .lineTo(PAGE_WIDTH - MARGIN, y)
    .lineWidth(0.5)
    .stroke(COLORS.line);
}
