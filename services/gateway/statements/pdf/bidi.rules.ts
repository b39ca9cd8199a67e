import bidiFactory, { type Bidi } from 'bidi-js';

// The package is CommonJS and exports the factory itself; its types speak of its ES module.
const bidi = (bidiFactory as unknown as () => Bidi)();

/** A stretch of text in one direction. */
export interface Run {
  text: string;
  rightToLeft: boolean;
}

/** Hebrew, Arabic, Syriac, Thaana, N'Ko, … and their presentation forms: a line without them is one run. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** Characters that print nothing but could reverse the text around them, and line ends and tabs. */
const UNPRINTABLE = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]+/gu;

/** Text as one line that shows what it says: a reference cannot reverse the amount next to it. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, ' ').trim();
}

/** One line's runs from left to right as they are to be seen (Unicode Bidirectional Algorithm). */
export function visualRuns(line: string): Run[] {
  if (!RIGHT_TO_LEFT.test(line)) return [{ text: line, rightToLeft: false }];
  const embedding = bidi.getEmbeddingLevels(line);
  const { levels } = embedding;
  const runs: { from: number; to: number; level: number }[] = [];
  for (const index of bidi.getReorderedIndices(line, embedding)) {
    const level = levels[index] ?? 0;
    const last = runs.at(-1);
    // Right-to-left text is seen last character first; the font lays each run out in its own direction.
    if (last?.level !== level) runs.push({ from: index, to: index + 1, level });
    else if (level % 2 === 0 && index === last.to) last.to = index + 1;
    else if (level % 2 === 1 && index === last.from - 1) last.from = index;
    else runs.push({ from: index, to: index + 1, level });
  }
  const mirrored = bidi.getMirroredCharactersMap(line, levels);
  const seen = Array.from({ length: line.length }, (_, index) => mirrored.get(index) ?? line.charAt(index)).join('');
  return runs.map(({ from, to, level }) => {
    const text = seen.slice(from, to);
    // The font takes its direction from the letters: signs alone are put in order here.
    const signsOnly = level % 2 === 1 && !RIGHT_TO_LEFT.test(text);
    return { text: signsOnly ? Array.from(text).reverse().join('') : text, rightToLeft: level % 2 === 1 };
  });
}
