import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the index for what a member is owed, which each statement reads. */
export class IndexCreditors1763942400000 implements MigrationInterface {
  name = 'IndexCreditors1763942400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX arrears_unpaid_to ON arrears (association_id, creditor_id, settled_at, meeting_id)
      WHERE paid_minor < amount_minor`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX arrears_unpaid_to');
  }
}
