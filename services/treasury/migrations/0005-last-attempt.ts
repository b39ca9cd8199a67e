import type { MigrationInterface, QueryRunner } from 'typeorm';

const SAGAS = ['cash_deposits', 'distributions'];

/** Gives the columns of sagas the same names as in other services. Privileges and indexes stay with a column. */
export class LastAttempt1700000000005 implements MigrationInterface {
  name = 'LastAttempt1700000000005';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const saga of SAGAS) {
      await queryRunner.query(`ALTER TABLE ${saga} RENAME COLUMN touched_at TO last_attempt_at`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const saga of SAGAS) {
      await queryRunner.query(`ALTER TABLE ${saga} RENAME COLUMN last_attempt_at TO touched_at`);
    }
  }
}
