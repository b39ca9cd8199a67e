import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/** The complete privileges of the service's role on the tables that this migration changes or creates. */
const PRIVILEGES = {
  approvals: `SELECT, INSERT,
    UPDATE (status, decided_at, execution_status, execution_error, rejudge_mark, cancelled_by_operation_id)`,
  executions: 'SELECT, INSERT, UPDATE (status, last_attempt_at)',
  locks: 'SELECT, INSERT, UPDATE (lifted)',
};

/**
 * Moves the execution of decisions into the table of a saga, and locks associations that are being closed as the other
 * services do.
 */
export class Executions1765000000000 implements MigrationInterface {
  name = 'Executions1765000000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // A service that migrates as its own role lost this privilege before. The grants below take it away again.
    await queryRunner.query('GRANT REFERENCES ON approvals TO CURRENT_USER');
    await queryRunner.query(`
      CREATE TABLE executions (
        id uuid PRIMARY KEY REFERENCES approvals,
        status text NOT NULL CHECK (status IN ('locking', 'notifying', 'notified')),
        last_attempt_at timestamptz NOT NULL
      )`);
    await queryRunner.query(
      `CREATE INDEX executions_unfinished ON executions (last_attempt_at) WHERE status IN ('locking', 'notifying')`,
    );
    await queryRunner.query(`
      INSERT INTO executions (id, status, last_attempt_at)
      SELECT id, CASE WHEN owner_told_at IS NOT NULL THEN 'notified'
                      WHEN subject_type = 'closure' AND status = 'approved' THEN 'locking'
                      ELSE 'notifying' END, touched_at
      FROM approvals WHERE decided_at IS NOT NULL AND subject_type <> 'motion'`);
    await queryRunner.query(`
      CREATE TABLE locks (
        subject text NOT NULL,
        owner_id uuid NOT NULL,
        lifted boolean NOT NULL,
        PRIMARY KEY (subject, owner_id)
      )`);
    await queryRunner.query(`
      INSERT INTO locks (subject, owner_id, lifted)
      SELECT association_id::text, approval_id, false FROM sealed_associations`);
    await queryRunner.query('DROP TABLE sealed_associations');
    await queryRunner.query('DROP INDEX approvals_to_tell');
    await queryRunner.query(`
      ALTER TABLE approvals
        DROP CONSTRAINT approvals_told,
        DROP COLUMN owner_told_at,
        DROP COLUMN touched_at`);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE approvals ADD COLUMN owner_told_at timestamptz, ADD COLUMN touched_at timestamptz`);
    await queryRunner.query(`
      UPDATE approvals SET
        touched_at = coalesce((SELECT last_attempt_at FROM executions WHERE executions.id = approvals.id), requested_at),
        owner_told_at = CASE WHEN decided_at IS NOT NULL AND NOT EXISTS (
          SELECT FROM executions WHERE executions.id = approvals.id AND status <> 'notified') THEN decided_at END`);
    await queryRunner.query(`
      ALTER TABLE approvals
        ALTER COLUMN touched_at SET NOT NULL,
        ADD CONSTRAINT approvals_told CHECK (owner_told_at IS NULL OR decided_at IS NOT NULL)`);
    await queryRunner.query(
      `CREATE INDEX approvals_to_tell ON approvals (touched_at) WHERE decided_at IS NOT NULL AND owner_told_at IS NULL`,
    );
    await queryRunner.query(`
      CREATE TABLE sealed_associations (
        association_id uuid PRIMARY KEY,
        approval_id uuid NOT NULL REFERENCES approvals,
        sealed_at timestamptz NOT NULL
      )`);
    await queryRunner.query(`
      INSERT INTO sealed_associations SELECT subject::uuid, owner_id, now() FROM locks WHERE NOT lifted`);
    await queryRunner.query('DROP TABLE locks, executions');
    await grantTo(
      queryRunner,
      'approvals',
      `SELECT, INSERT, UPDATE (status, decided_at, execution_status, execution_error, owner_told_at, touched_at,
         rejudge_mark, cancelled_by_operation_id)`,
    );
    await grantTo(queryRunner, 'sealed_associations', 'SELECT, INSERT, DELETE');
  }
}
