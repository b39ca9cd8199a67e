import type { EntityManager } from 'typeorm';

/** Runs an UPDATE … RETURNING, for which TypeORM answers with a pair of rows and count. */
export async function changedRows<R>(manager: EntityManager, sql: string, parameters: unknown[]): Promise<R[]> {
  const [rows] = await manager.query<[R[], number]>(sql, parameters);
  return rows;
}
