import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

const STATUSES = `'pending', 'paid', 'failed', 'refused'`;

/** Adds reversals, and the states of contributions and payments of fines that are taken back. */
export class Reversals1765152000000 implements MigrationInterface {
  name = 'Reversals1765152000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['contributions', 'fine_payments']) {
      await queryRunner.query(`
        ALTER TABLE ${table}
          DROP CONSTRAINT ${table}_status_check,
          ADD CONSTRAINT ${table}_status_check CHECK (status IN (${STATUSES}, 'reversing', 'reversed')) NOT VALID`);
    }
    for (const statement of REVERSALS) await queryRunner.query(statement);
    await grantTo(queryRunner, 'reversals', 'SELECT, INSERT, UPDATE (status, refusal)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE reversals');
    for (const table of ['contributions', 'fine_payments']) {
      await queryRunner.query(`
        ALTER TABLE ${table}
          DROP CONSTRAINT ${table}_status_check,
          ADD CONSTRAINT ${table}_status_check CHECK (status IN (${STATUSES}))`);
    }
  }
}

const REVERSALS = [
  `CREATE TABLE reversals (
     -- The reversal of the ledger has the same id.
     correction_id uuid PRIMARY KEY,
     association_id uuid NOT NULL,
     transfer_id uuid NOT NULL,
     meeting_id uuid,
     status text NOT NULL CHECK (status IN ('taken', 'refused', 'reversed', 'restored')),
     refusal jsonb,
     CHECK ((status = 'refused') = (refusal IS NOT NULL))
   )`,
  // What a transfer has paid is taken back once.
  `CREATE UNIQUE INDEX reversals_once ON reversals (transfer_id) WHERE status IN ('taken', 'reversed')`,
];
