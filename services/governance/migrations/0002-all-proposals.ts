import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIdempotencyKeys } from '../../../lib/idempotency/table.ts';
import { grantTo } from '../../../lib/db/migrate.ts';

/** The complete privileges of the service's role on the tables that this migration changes or creates. */
const PRIVILEGES = {
  approvals: `SELECT, INSERT, UPDATE (status, decided_at, execution_status, execution_error, owner_told_at, touched_at,
    rejudge_mark, cancelled_by_operation_id)`,
  votes: 'SELECT, INSERT',
  proposals: 'SELECT, INSERT',
  sealed_associations: 'SELECT, INSERT, DELETE',
};

const PROPOSAL_TYPES = `'role_change', 'rules_change', 'expulsion', 'closure', 'motion'`;

/** Adds proposals of every type, associations that are being closed, and the operations that identify repeats. */
export class AllProposals1763000000000 implements MigrationInterface {
  name = 'AllProposals1763000000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIdempotencyKeys(queryRunner);
    await queryRunner.query(`
      ALTER TABLE approvals
        ADD COLUMN cancelled_by_operation_id uuid,
        ADD CONSTRAINT approvals_subject_type
          CHECK (subject_type IN ('cash_deposit', 'distribution', ${PROPOSAL_TYPES})),
        ADD CONSTRAINT approvals_cancelled_by CHECK (cancelled_by_operation_id IS NULL OR status = 'cancelled')`);
    await queryRunner.query(`CREATE INDEX approvals_pending_of ON approvals (association_id) WHERE status = 'pending'`);
    await queryRunner.query('ALTER TABLE votes ADD COLUMN operation_id uuid');
    await queryRunner.query(`ALTER TABLE proposals ADD CONSTRAINT proposals_type CHECK (type IN (${PROPOSAL_TYPES}))`);
    // A service that migrates as its own role lost this privilege in 0001. The grants below take it away again.
    await queryRunner.query('GRANT REFERENCES ON approvals TO CURRENT_USER');
    // Associations whose closure is being executed, or is done: no approval can be opened in them.
    await queryRunner.query(`
      CREATE TABLE sealed_associations (
        association_id uuid PRIMARY KEY,
        approval_id uuid NOT NULL REFERENCES approvals,
        sealed_at timestamptz NOT NULL
      )`);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE sealed_associations, idempotency_keys');
    await queryRunner.query('ALTER TABLE proposals DROP CONSTRAINT proposals_type');
    await queryRunner.query('ALTER TABLE votes DROP COLUMN operation_id');
    await queryRunner.query('DROP INDEX approvals_pending_of');
    await queryRunner.query(`
      ALTER TABLE approvals
        DROP CONSTRAINT approvals_cancelled_by,
        DROP CONSTRAINT approvals_subject_type,
        DROP COLUMN cancelled_by_operation_id`);
  }
}
