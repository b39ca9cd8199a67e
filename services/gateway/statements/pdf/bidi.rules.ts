import bidiFactory, { type Bidi } from 'bidi-js';

// The package is CommonJS and exports the factory itself, but its types describe an ES module.
const bidi = (bidiFactory as unknown as () => Bidi)();

/** A piece of text in one direction. */
export interface Run {
  text: string;
  rightToLeft: boolean;
}

/** Hebrew, Arabic, Syriac, Thaana, N'Ko, … and their presentation forms. A line without these is one run. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** Characters that print nothing but could reverse the text around them; also line ends and tabs. */
const UNPRINTABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]+/gu;

/** Returns the text as one printable line. Without this, a reference could reverse the amount next to it. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, ' ').trim();
}

/** Returns the runs of a line from left to right, as they are displayed (Unicode Bidirectional Algorithm). */
export function visualRuns(line: string): Run[] {
  if (!RIGHT_TO_LEFT.test(line)) return [{ text: line, rightToLeft: false }];
  const embedding = bidi.getEmbeddingLevels(line);
  const { levels } = embedding;
  const runs: { from: number; to: number; level: number }[] = [];
  for (const index of bidi.getReorderedIndices(line, embedding)) {
    const level = levels[index] ?? 0;
    const last = runs.at(-1);
    // Right-to-left text is displayed last character first. The font lays out each run in its own direction.
    if (last?.level !== level) runs.push({ from: index, to: index + 1, level });
    else if (level % 2 === 0 && index === last.to) last.to = index + 1;
    else if (level % 2 === 1 && index === last.from - 1) last.from = index;
    else runs.push({ from: index, to: index + 1, level });
  }
  const mirrored = bidi.getMirroredCharactersMap(line, levels);
  const seen = Array.from({ length: line.length }, (_, index) => mirrored.get(index) ?? line.charAt(index)).join('');
  return runs.map(({ from, to, level }) => {
    const text = seen.slice(from, to);
    // The font derives the direction from letters. A run without letters is put in order here.
    const hasNoLetters = level % 2 === 1 && !RIGHT_TO_LEFT.test(text);
    return { text: hasNoLetters ? Array.from(text).reverse().join('') : text, rightToLeft: level % 2 === 1 };
  });
}
