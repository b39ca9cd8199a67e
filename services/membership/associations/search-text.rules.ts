/**
 * How the directory compares words: in any letter case and with or without accents. It is done here and not in
 * PostgreSQL, whose `unaccent` is an extension that a plain owner role may not be allowed to create.
 */

/** What is left of a letter's accents once compatibility decomposition has taken them apart. */
const MARKS = /\p{Mn}/gu;
const WHITE_SPACE = /\s+/u;

function folded(text: string): string {
  return text.toLowerCase().normalize('NFKD').replace(MARKS, '');
}

/** What an association is found by. No word holds the line break, so none spans name and description. */
export function searchText(name: string, description: string | null): string {
  return folded(description === null ? name : `${name}\n${description}`);
}

/** The different words of a search, in one order, as they occur in searchText(). */
export function searchWords(q: string): string[] {
  const words = folded(q)
    .split(WHITE_SPACE)
    .filter((word) => word !== '');
  return [...new Set(words)].sort();
}
