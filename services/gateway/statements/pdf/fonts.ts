import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { create } from 'fontkit';
import type { Font } from 'fontkit';

/** The typefaces of a statement. Condensed, since names and amounts have to share a line of an A4 page. */
export type Face = 'regular' | 'bold' | 'mono';
export type Fonts = Record<Face, Font>;

/** DejaVu: Latin with all that African languages add to it, Greek, Cyrillic, Arabic, Hebrew, N'Ko, Tifinagh and more. */
const FILES: Record<Face, string> = {
  regular: 'DejaVuSansCondensed.ttf',
  bold: 'DejaVuSansCondensed-Bold.ttf',
  mono: 'DejaVuSansMono.ttf',
};

let fonts: Promise<Fonts> | undefined;

/** The fonts, read once. */
export function statementFonts(): Promise<Fonts> {
  fonts ??= Promise.all([readFont(FILES.regular), readFont(FILES.bold), readFont(FILES.mono)]).then(
    ([regular, bold, mono]) => ({ regular, bold, mono }),
  );
  return fonts;
}

async function readFont(file: string): Promise<Font> {
  const font = create(await readFile(fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${file}`))));
  if ('fonts' in font) throw new Error(`${file} is a collection of fonts`);
  return font;
}
