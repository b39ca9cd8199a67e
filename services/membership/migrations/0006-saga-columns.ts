import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Gives the columns of endings the same names as in other sagas. Privileges and checks stay with a column. */
export class SagaColumns1767657600000 implements MigrationInterface {
  name = 'SagaColumns1767657600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE endings RENAME COLUMN state TO status');
    await queryRunner.query('ALTER TABLE endings RENAME COLUMN touched_at TO last_attempt_at');
    await queryRunner.query('ALTER INDEX endings_untouched RENAME TO endings_by_last_attempt');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER INDEX endings_by_last_attempt RENAME TO endings_untouched');
    await queryRunner.query('ALTER TABLE endings RENAME COLUMN last_attempt_at TO touched_at');
    await queryRunner.query('ALTER TABLE endings RENAME COLUMN status TO state');
  }
}
