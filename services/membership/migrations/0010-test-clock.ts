import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/** Stores how far the test clock was advanced. */
export class TestClock1768003200000 implements MigrationInterface {
  name = 'TestClock1768003200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE test_clocks (
        is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
        advanced_to timestamptz NOT NULL DEFAULT '-infinity',
        offset_ms bigint NOT NULL DEFAULT 0 CHECK (offset_ms >= 0)
      )`);
    await queryRunner.query('INSERT INTO test_clocks DEFAULT VALUES');
    await grantTo(queryRunner, 'test_clocks', 'SELECT, UPDATE (advanced_to, offset_ms)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE test_clocks');
  }
}
