import type { Statements } from './statements.ts';

/**
 * The rows that a statement returns, whoever runs it: TypeORM gives `[rows, count]` for an UPDATE or DELETE and the rows
 * themselves for all else, the driver an object.
 */
export async function rowsOf<Row>(db: Statements, sql: string, parameters: unknown[]): Promise<Row[]> {
  const result = await db.query(sql, parameters);
  if (!Array.isArray(result)) return (result as { rows: Row[] }).rows;
  return (Array.isArray(result[0]) ? result[0] : result) as Row[];
}
