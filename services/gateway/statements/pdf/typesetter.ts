import type PDFDocument from 'pdfkit';
import type { Face, Fonts } from './fonts.ts';
import { printable, visualRuns } from './bidi.rules.ts';

export interface Style {
  face: Face;
  /** In points. */
  size: number;
  color: string;
}

/** Measures and sets single lines of text; breaks text into lines. Lengths are in points, from the page's top left. */
export class Typesetter {
  readonly #document: PDFKit.PDFDocument;
  readonly #fonts: Fonts;

  constructor(document: InstanceType<typeof PDFDocument>, fonts: Fonts) {
    this.#document = document;
    this.#fonts = fonts;
  }

  width(text: string, { face, size }: Style): number {
    this.#document.font(face, size);
    return visualRuns(text).reduce((sum, run) => sum + this.#document.widthOfString(run.text, features(run)), 0);
  }

  /** Sets one line with its left end at x, or, aligned right, with its right end there. */
  line(text: string, x: number, y: number, style: Style, align: 'left' | 'right' = 'left'): void {
    let left = align === 'left' ? x : x - this.width(text, style);
    this.#document.font(style.face, style.size).fillColor(style.color);
    for (const run of visualRuns(text)) {
      this.#document.text(run.text, left, y, { lineBreak: false, ...features(run) });
      left += this.#document.widthOfString(run.text, features(run));
    }
  }

  /** Breaks text between words, and within those that are wider than a line. */
  wrap(text: string, width: number, style: Style): string[] {
    const clean = this.#known(text, style);
    if (this.width(clean, style) <= width) return [clean];
    const lines: string[] = [];
    let line = '';
    for (const word of clean.split(/ +/)) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (this.width(longer, style) <= width) {
        line = longer;
        continue;
      }
      if (line !== '') lines.push(line);
      const pieces = this.#pieces(word, width, style);
      line = pieces.pop() ?? '';
      lines.push(...pieces);
    }
    return [...lines, line];
  }

  /** As much of the text as fits, with an ellipsis if that is not all. */
  fitting(text: string, width: number, style: Style): string {
    const clean = this.#known(text, style);
    if (this.width(clean, style) <= width) return clean;
    const [first = ''] = this.#pieces(clean, width - this.width('…', style), style);
    return `${first.trimEnd()}…`;
  }

  /** The text without what would print nothing, and with a box for each character that the font lacks. */
  #known(text: string, { face }: Style): string {
    const font = this.#fonts[face];
    const signs = Array.from(printable(text), (sign) => {
      if (font.hasGlyphForCodePoint(sign.codePointAt(0) ?? 0)) return sign;
      return INVISIBLE.test(sign) ? '' : MISSING;
    });
    return signs.join('');
  }

  /** A word in pieces no wider than a line, never within what a reader sees as one character. */
  #pieces(word: string, width: number, style: Style): string[] {
    const pieces: string[] = [];
    let piece = '';
    for (const { segment } of GRAPHEMES.segment(word)) {
      if (piece !== '' && this.width(piece + segment, style) > width) {
        pieces.push(piece);
        piece = '';
      }
      piece += segment;
    }
    return [...pieces, piece];
  }
}

/** A white square: pdfkit gets the width of the font's own sign for missing characters wrong. */
const MISSING = '\u25A1';

/** Joiners, variation selectors and the like. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

const GRAPHEMES = new Intl.Segmenter();

/** With a list of font features, even an empty one, pdfkit lays a run out whole: in Arabic the words go leftwards too. */
function features({ rightToLeft }: { rightToLeft: boolean }): PDFKit.Mixins.TextOptions {
  return rightToLeft ? { features: [] } : {};
}
