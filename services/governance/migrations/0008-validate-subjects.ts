import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Validates the longer lists of types, in a migration of its own as it reads the tables. */
export class ValidateSubjects1768100000000 implements MigrationInterface {
  name = 'ValidateSubjects1768100000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE approvals VALIDATE CONSTRAINT approvals_subject_type');
    await queryRunner.query('ALTER TABLE proposals VALIDATE CONSTRAINT proposals_type');
  }

  async down(): Promise<void> {
    // A valid constraint stays valid.
  }
}
