import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the metadata of deposits and withdrawals in their plans, so that each reference has one; null if there is none. */
export class FundingMetadata1700000000012 implements MigrationInterface {
  name = 'FundingMetadata1700000000012';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE wallet_funding ADD COLUMN metadata json');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE wallet_funding DROP COLUMN metadata');
  }
}
