import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

const STATUSES = `'pending', 'paid', 'failed', 'refused'`;

/** Adds reversals, and the states of contributions, payments of fines and sheets that are taken back. */
export class Reversals1765152000000 implements MigrationInterface {
  name = 'Reversals1765152000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of ['contributions', 'fine_payments']) {
      await queryRunner.query(`
        ALTER TABLE ${table}
          DROP CONSTRAINT ${table}_status_check,
          ADD CONSTRAINT ${table}_status_check CHECK (status IN (${STATUSES}, 'reversing', 'reversed')) NOT VALID`);
    }
    for (const statement of [...SHEETS, ...REVERSALS]) await queryRunner.query(statement);
    await grantTo(queryRunner, 'reversals', 'SELECT, INSERT, UPDATE (status, refusal)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE reversals');
    await queryRunner.query(`
      ALTER TABLE sheet_submissions
        DROP CONSTRAINT sheet_submissions_status_check,
        DROP CONSTRAINT sheet_submissions_decided,
        DROP CONSTRAINT sheet_submissions_decision,
        ADD CONSTRAINT sheet_submissions_status_check CHECK (status IN (${SHEET_STATUSES})),
        ADD CONSTRAINT sheet_submissions_check
          CHECK ((decided_at IS NOT NULL) = (status IN ('confirmed', 'rejected', 'refused'))),
        ADD CONSTRAINT sheet_submissions_check1
          CHECK ((decision IS NOT NULL) = (status IN ('posting', 'confirmed', 'rejected')))`);
    for (const table of ['contributions', 'fine_payments']) {
      await queryRunner.query(`
        ALTER TABLE ${table}
          DROP CONSTRAINT ${table}_status_check,
          ADD CONSTRAINT ${table}_status_check CHECK (status IN (${STATUSES}))`);
    }
  }
}

const SHEET_STATUSES = `'opening', 'submitted', 'posting', 'confirmed', 'rejected', 'refused'`;

const SHEETS = [
  `ALTER TABLE sheet_submissions
     DROP CONSTRAINT sheet_submissions_status_check,
     DROP CONSTRAINT sheet_submissions_check,
     DROP CONSTRAINT sheet_submissions_check1,
     ADD CONSTRAINT sheet_submissions_status_check CHECK (status IN (${SHEET_STATUSES}, 'reversing', 'reversed')),
     ADD CONSTRAINT sheet_submissions_decided CHECK ((decided_at IS NULL) = (status IN ('opening', 'submitted', 'posting'))),
     ADD CONSTRAINT sheet_submissions_decision CHECK ((decision IS NULL) = (status IN ('opening', 'submitted', 'refused')))`,
];

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
  // What stands on a transfer is taken back once.
  `CREATE UNIQUE INDEX reversals_once ON reversals (transfer_id) WHERE status IN ('taken', 'reversed')`,
];
