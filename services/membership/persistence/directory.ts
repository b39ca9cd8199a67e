import type { EntityManager } from 'typeorm';
import type { AssociationRecord } from '../associations/association.table.ts';
import { VIEWED_COLUMNS, viewedOf } from '../associations/viewed-association.store.ts';
import type { Viewed, ViewedRow } from '../associations/viewed-association.store.ts';

export type DirectoryFilter = Partial<Pick<AssociationRecord, 'type' | 'currency' | 'contribution_frequency'>> & {
  /** From searchWords(). */
  words: string[];
};

/**
 * Active public associations, the newest first. What they are sorted by never changes, so that pages stay apart
 * however many are founded meanwhile.
 * @param user_id the reader
 */
export async function listPublic(
  manager: EntityManager,
  user_id: string,
  { words, type, currency, contribution_frequency }: DirectoryFilter,
  after: { created_at: string; id: string } | null,
  limit: number,
): Promise<Viewed[]> {
  const values: unknown[] = [user_id, limit];
  const value = (given: unknown) => `$${String(values.push(given))}`;
  // Each filter is a condition of its own, so that the statement is planned for those that there are.
  const conditions = [
    `a.is_public AND a.status = 'active'`,
    ...(type === undefined ? [] : [`a.type = ${value(type)}`]),
    ...(currency === undefined ? [] : [`a.currency = ${value(currency)}`]),
    ...(contribution_frequency === undefined ? [] : [`a.contribution_frequency = ${value(contribution_frequency)}`]),
    ...words.map((word) => `a.search_text LIKE ${value(`%${escaped(word)}%`)}`),
    ...(after === null ? [] : [`(a.created_at, a.id) < (${value(after.created_at)}, ${value(after.id)})`]),
  ];
  const rows: ViewedRow[] = await manager.query(
    `SELECT ${VIEWED_COLUMNS}
     FROM associations a LEFT JOIN members m ON m.association_id = a.id AND m.user_id = $1 AND m.status = 'active'
     WHERE ${conditions.join(' AND ')}
     ORDER BY a.created_at DESC, a.id DESC LIMIT $2`,
    values,
  );
  return rows.map(viewedOf);
}

/** The word as LIKE takes it literally. */
function escaped(word: string): string {
  return word.replace(/[\\%_]/g, String.raw`\$&`);
}
