import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/** Keeps since when a round has its day, also once nothing of it is late, and which absent members a settlement does not fine. */
export class LateRounds1765411200000 implements MigrationInterface {
  name = 'LateRounds1765411200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE late_checks ALTER COLUMN check_on DROP NOT NULL, ADD COLUMN day_set_on date');
    // The right to delete rows stays, for processes of the version before.
    await grantTo(queryRunner, 'late_checks', 'SELECT, INSERT, UPDATE (check_on, day_set_on), DELETE');
    await queryRunner.query(`ALTER TABLE settlement_fine_rules ADD COLUMN not_fined uuid[] NOT NULL DEFAULT '{}'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE settlement_fine_rules DROP COLUMN not_fined');
    await queryRunner.query('DELETE FROM late_checks WHERE check_on IS NULL');
    await queryRunner.query('ALTER TABLE late_checks ALTER COLUMN check_on SET NOT NULL, DROP COLUMN day_set_on');
  }
}
