import type { QueryRunner } from 'typeorm';

/**
 * Builds indexes while others write to the table, in a migration with `transaction = false`. An attempt that was interrupted
 * leaves an invalid index, so each is dropped first.
 * @param indexes the definitions by name, such as `notes (word)`
 */
export async function buildIndexes(queryRunner: QueryRunner, indexes: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, definition] of Object.entries(indexes)) {
    await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await queryRunner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  }
}

/** Undoes buildIndexes(). */
export async function dropIndexes(queryRunner: QueryRunner, indexes: Readonly<Record<string, string>>): Promise<void> {
  await queryRunner.query(`DROP INDEX ${Object.keys(indexes).join(', ')}`);
}
