import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import type { Migration } from '../../../lib/db/migrate.ts';

const PROPOSALS = `'role_change', 'rules_change', 'expulsion', 'closure', 'motion'`;
const SUBJECTS = `'cash_deposit', 'distribution', ${PROPOSALS}`;

const INDEXES = {
  approvals_once: `approvals (subject_type, subject_id) WHERE subject_type <> 'meeting_sheet'`,
};

/**
 * Allows approvals of meeting sheets, corrections and waivers of fines. A sheet that was rejected can be submitted again, so it
 * may have several approvals.
 */
export class MoreSubjects1768000000000 implements Migration {
  name = 'MoreSubjects1768000000000';
  transaction = false;
  readonly contracts = { 'approvals.approvals_subject_once': '0.1.0' };

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildIndexes(queryRunner, INDEXES);
    await queryRunner.query(`
      ALTER TABLE approvals
        DROP CONSTRAINT IF EXISTS approvals_subject_once,
        DROP CONSTRAINT approvals_subject_type,
        ADD CONSTRAINT approvals_subject_type
          CHECK (subject_type IN (${SUBJECTS}, 'meeting_sheet', 'correction', 'fine_waiver')) NOT VALID`);
    await queryRunner.query(`
      ALTER TABLE proposals
        DROP CONSTRAINT proposals_type,
        ADD CONSTRAINT proposals_type CHECK (type IN (${PROPOSALS}, 'fine_waiver')) NOT VALID`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE approvals
        DROP CONSTRAINT approvals_subject_type,
        ADD CONSTRAINT approvals_subject_type CHECK (subject_type IN (${SUBJECTS})),
        ADD CONSTRAINT approvals_subject_once UNIQUE (subject_type, subject_id)`);
    await queryRunner.query(`
      ALTER TABLE proposals
        DROP CONSTRAINT proposals_type, ADD CONSTRAINT proposals_type CHECK (type IN (${PROPOSALS}))`);
    await dropIndexes(queryRunner, INDEXES);
  }
}
