import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/**
 * Adds the metadata of contributions that have some. A table, as prepared statements of 0.1.0 return all columns of
 * `contributions`, and most contributions have none.
 */
export class ContributionMetadata1764979200000 implements MigrationInterface {
  name = 'ContributionMetadata1764979200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE contribution_metadata (
        contribution_id uuid PRIMARY KEY,
        metadata json NOT NULL
      )`);
    await grantTo(queryRunner, 'contribution_metadata', 'SELECT, INSERT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE contribution_metadata');
  }
}
