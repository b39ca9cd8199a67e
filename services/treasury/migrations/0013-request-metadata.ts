import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the metadata of cash deposits and distributions; null if there is none. */
export class RequestMetadata1700000000013 implements MigrationInterface {
  name = 'RequestMetadata1700000000013';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE cash_deposits ADD COLUMN metadata json');
    await queryRunner.query('ALTER TABLE distributions ADD COLUMN metadata json');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE cash_deposits DROP COLUMN metadata');
    await queryRunner.query('ALTER TABLE distributions DROP COLUMN metadata');
  }
}
