/**
 * The directory's search ignores letter case and accents. This is done here and not in PostgreSQL, because `unaccent`
 * is an extension that the owner of a database may not be allowed to create.
 */

/** The accents, after compatibility decomposition has separated them from their letters. */
const MARKS = /\p{Mn}/gu;
const WHITE_SPACE = /\s+/u;

function fold(text: string): string {
  return text.toLowerCase().normalize('NFKD').replace(MARKS, '');
}

/**
 * Returns the text in which associations are searched. Words contain no line break, so none spans name and description.
 */
export function searchText(name: string, description: string | null): string {
  return fold(description === null ? name : `${name}\n${description}`);
}

/**
 * Returns the different words of a search in the form of searchText(), sorted so that equal searches have equal words.
 */
export function searchWords(q: string): string[] {
  const words = fold(q)
    .split(WHITE_SPACE)
    .filter((word) => word !== '');
  return [...new Set(words)].sort();
}
