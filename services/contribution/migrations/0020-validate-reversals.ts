import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Validates the longer lists of states, in a migration of its own as it reads the tables. */
export class ValidateReversals1765324800000 implements MigrationInterface {
  name = 'ValidateReversals1765324800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE contributions VALIDATE CONSTRAINT contributions_status_check');
    await queryRunner.query('ALTER TABLE fine_payments VALIDATE CONSTRAINT fine_payments_status_check');
  }

  async down(): Promise<void> {
    // A valid constraint stays valid.
  }
}
