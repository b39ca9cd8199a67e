import type { EntitySchema, QueryRunner } from 'typeorm';
import { openDatabase, type Database } from '../../lib/db/database.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { createTestDatabase } from './databases.ts';

/**
 * Opens a database whose tables belong to a test file, as a service opens its database.
 * @param name unique in the run
 * @param create creates the tables and grants privileges on them to the service's role
 */
export async function openOwnTables(
  name: string,
  tables: EntitySchema[],
  create: (queryRunner: QueryRunner) => Promise<void>,
): Promise<{ db: Database; close: () => Promise<void> }> {
  class CreateOwnTables1700000000000 {
    up = create;
    down = () => Promise.resolve();
  }
  const migrations = [CreateOwnTables1700000000000];
  const database = await createTestDatabase(name, (template) => migrate(template, migrations));
  const db = await openDatabase(database, { tables, migrations });
  return {
    db,
    async close() {
      await db.close();
      await database.release();
    },
  };
}
