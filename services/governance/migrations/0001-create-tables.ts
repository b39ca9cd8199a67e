import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createServiceTables } from '../../../lib/db/service-tables.ts';
import { grantTo } from '../../../lib/db/migrate.ts';

/**
 * The privileges of the service's role. They are granted last: if the service migrates as its own role, a grant takes the
 * owner's REFERENCES from a table, and the tables created after it could not refer to it.
 */
const PRIVILEGES = {
  approvals: `SELECT, INSERT,
    UPDATE (status, decided_at, execution_status, execution_error, owner_told_at, touched_at, rejudge_mark)`,
  votes: 'SELECT, INSERT',
  proposals: 'SELECT, INSERT',
};

/** Creates approvals, votes and proposals. */
export class CreateTables1762000000000 implements MigrationInterface {
  name = 'CreateTables1762000000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createServiceTables(queryRunner);
    await createApprovals(queryRunner);
    await createVotesAndProposals(queryRunner);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE proposals, votes, approvals, cursor_keys, dead_letters, inbox, outbox');
  }
}

async function createApprovals(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE approvals (
      id uuid PRIMARY KEY,
      association_id uuid NOT NULL,
      subject_type text NOT NULL,
      subject_id uuid NOT NULL,
      payload json NOT NULL,
      payload_hash text NOT NULL CHECK (payload_hash ~ '^[0-9a-f]{64}$'),
      status text NOT NULL CHECK (status IN ('pending', 'approved', 'rejected', 'expired', 'cancelled')),
      required_approvals integer NOT NULL CHECK (required_approvals >= 0),
      requested_by_member_id uuid NOT NULL,
      concerned_member_id uuid,
      requested_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      decided_at timestamptz,
      execution_status text NOT NULL CHECK (execution_status IN ('none', 'pending', 'done', 'failed')),
      execution_error text,
      owner_told_at timestamptz,
      touched_at timestamptz NOT NULL,
      rejudge_mark uuid,
      CONSTRAINT approvals_decided CHECK ((status = 'pending') = (decided_at IS NULL)),
      CONSTRAINT approvals_executed CHECK ((status = 'approved') = (execution_status <> 'none')),
      CONSTRAINT approvals_failed CHECK ((execution_status = 'failed') = (execution_error IS NOT NULL)),
      CONSTRAINT approvals_told CHECK (owner_told_at IS NULL OR decided_at IS NOT NULL),
      CONSTRAINT approvals_subject_once UNIQUE (subject_type, subject_id)
    )`);
  await queryRunner.query(`CREATE INDEX approvals_newest ON approvals (association_id, requested_at, id)`);
  await queryRunner.query(`CREATE INDEX approvals_open ON approvals (expires_at) WHERE status = 'pending'`);
  await queryRunner.query(`CREATE INDEX approvals_rejudge ON approvals (rejudge_mark) WHERE rejudge_mark IS NOT NULL`);
  await queryRunner.query(
    `CREATE INDEX approvals_to_tell ON approvals (touched_at) WHERE decided_at IS NOT NULL AND owner_told_at IS NULL`,
  );
}

async function createVotesAndProposals(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE votes (
      approval_id uuid NOT NULL REFERENCES approvals,
      member_id uuid NOT NULL,
      decision text NOT NULL CHECK (decision IN ('approve', 'reject')),
      reason text,
      voted_at timestamptz NOT NULL,
      PRIMARY KEY (approval_id, member_id)
    )`);
  await queryRunner.query(`
    CREATE TABLE proposals (
      id uuid PRIMARY KEY,
      association_id uuid NOT NULL,
      type text NOT NULL,
      title text NOT NULL,
      payload json NOT NULL,
      approval_id uuid NOT NULL UNIQUE REFERENCES approvals,
      created_at timestamptz NOT NULL
    )`);
}
