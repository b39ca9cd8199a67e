/** Characters that a display shows like another one, or not at all. */
const INVISIBLE = [
  ...['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u180e', '\u061c', '\u200e', '\u200f'],
  ...['\u202a', '\u202e', '\u2066', '\u2069', '\ufe0e', '\ufe0f', '\u{e0001}', '\u{e0020}'],
];
const SPACES = [' ', '\t', '\n', '\r', '\u00a0', '\u1680', '\u2003', '\u2028', '\u202f', '\u205f', '\u3000', '\u0085'];

/** Letters of other scripts and other characters that look like those on the left. */
const HOMOGLYPHS: [string, string][] = [
  ['Z', 'Ζ'],
  ['Z', '𝐙'],
  ['Z', 'Ｚ'],
  ['o', 'о'],
  ['o', 'ο'],
  ['o', '0'],
  ['a', 'а'],
  ['a', 'ａ'],
  ['e', 'е'],
  ['S', 'Ѕ'],
  ['ß', 'β'],
  ['.', '．'],
  ['.', '․'],
  ['@', '＠'],
  ['1', 'l'],
  ['1', '１'],
];

/** Returns ids that a normalization, a comparison without case, a decoder or an eye would take for this one. */
export function lookalikesOf(id: string): string[] {
  const changed = [
    ...(['NFD', 'NFKC', 'NFKD'] as const).map((form) => id.normalize(form)),
    id.normalize('NFC'),
    id.toLowerCase(),
    id.toUpperCase(),
    id.replace('ß', 'ss'),
    id.replace('ß', 'ẞ'),
    id.replace('é', 'e'),
    ...SPACES.flatMap((space) => [id + space, space + id]),
    ...INVISIBLE.map((character) => id.slice(0, 2) + character + id.slice(2)),
    ...HOMOGLYPHS.map(([letter, alike]) => id.replace(letter, alike)),
    encodeURIComponent(id),
    id.replace('@', '%40'),
    id.replace('@', '&#64;'),
    id.replace('é', '\\u00e9'),
    `"${id}"`,
    `${id}'`,
    `${id}%`,
    id.replace('.', '_'),
    `${id}.`,
    `${id}/`,
    `./${id}`,
    `${id}\\`,
  ];
  return [...new Set(changed)].filter((each) => each !== id);
}
