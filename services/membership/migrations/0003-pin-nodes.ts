import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/** Adds the PIN keys of each running node, and the check value of the pepper. */
export class PinNodes1767398400000 implements MigrationInterface {
  name = 'PinNodes1767398400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE pin_key_nodes (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        kids text[] NOT NULL,
        seen_at timestamptz NOT NULL
      )`);
    // The table has at most one row.
    await queryRunner.query(`
      CREATE TABLE pin_pepper (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        check_value bytea NOT NULL
      )`);
    await grantTo(queryRunner, 'pin_key_nodes', 'SELECT, INSERT, UPDATE (kids, seen_at), DELETE');
    await grantTo(queryRunner, 'pin_pepper', 'SELECT, INSERT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE pin_key_nodes, pin_pepper`);
  }
}
