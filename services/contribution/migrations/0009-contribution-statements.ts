import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/**
 * Adds the statements of the payers of pending contributions. A table, as prepared statements of 0.1.0 return all columns of
 * `contributions`.
 */
export class ContributionStatements1764374400000 implements MigrationInterface {
  name = 'ContributionStatements1764374400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE contribution_statements (
        contribution_id uuid PRIMARY KEY,
        statement text NOT NULL
      )`);
    await grantTo(queryRunner, 'contribution_statements', 'SELECT, INSERT, DELETE, UPDATE (contribution_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE contribution_statements');
  }
}
