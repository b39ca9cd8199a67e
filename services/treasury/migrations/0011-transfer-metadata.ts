import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the metadata of deposits and withdrawals in their transfers; null if there is none. */
export class TransferMetadata1700000000011 implements MigrationInterface {
  name = 'TransferMetadata1700000000011';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE transfers ADD COLUMN metadata json');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE transfers DROP COLUMN metadata');
  }
}
