import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/** The complete privileges of the service's role on the tables that this migration changes or creates. */
const PRIVILEGES = {
  meetings: 'SELECT, INSERT, UPDATE (status, attempt_id, settling_since, settled_at, due_on, title)',
  late_checks: 'SELECT, INSERT, UPDATE (check_on), DELETE',
  settlement_fine_rules: 'SELECT, INSERT',
  attendance: 'SELECT, INSERT, UPDATE (status, represented_by_member_id, recorded_by_member_id, recorded_at)',
  fines: 'SELECT, INSERT, UPDATE (taken_minor, paid_minor, status, waived_by_approval_id)',
  fine_payments: 'SELECT, INSERT, UPDATE (status, failure_code, statement, decided_at, last_attempt_at)',
};

/** Adds attendance, fines and their payments, and when the late payments of rounds must be looked at. */
export class AttendanceAndFines1764720000000 implements MigrationInterface {
  name = 'AttendanceAndFines1764720000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // A service that migrates as its own role may not refer to its tables otherwise. The grants below take it away again.
    await queryRunner.query('GRANT REFERENCES ON meetings TO CURRENT_USER');
    await queryRunner.query(ATTENDANCE);
    for (const statement of LATE_CHECKS) await queryRunner.query(statement);
    for (const statement of FINES) await queryRunner.query(statement);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE fine_payments, fines, settlement_fine_rules, late_checks, attendance');
  }
}

const ATTENDANCE = `
  CREATE TABLE attendance (
    meeting_id uuid NOT NULL REFERENCES meetings,
    member_id uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('present', 'late', 'absent', 'excused', 'represented')),
    represented_by_member_id uuid,
    recorded_by_member_id uuid NOT NULL,
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (meeting_id, member_id),
    CHECK (represented_by_member_id IS NULL OR status = 'represented')
  )`;

/** In tables of their own: processes of the last release have prepared statements with all columns of meetings. */
const LATE_CHECKS = [
  'CREATE TABLE late_checks (meeting_id uuid PRIMARY KEY REFERENCES meetings, check_on date NOT NULL)',
  'CREATE INDEX late_checks_by_day ON late_checks (check_on, meeting_id)',
  'CREATE TABLE settlement_fine_rules (settlement_id uuid PRIMARY KEY, rules jsonb NOT NULL)',
];

const FINES = [
  `CREATE TABLE fines (
    id uuid PRIMARY KEY,
    association_id uuid NOT NULL,
    member_id uuid NOT NULL,
    code text NOT NULL,
    meeting_id uuid REFERENCES meetings,
    period integer NOT NULL CHECK (period > 0),
    reason text,
    currency text NOT NULL,
    amount_minor bigint NOT NULL CHECK (amount_minor > 0),
    taken_minor bigint NOT NULL,
    paid_minor bigint NOT NULL CHECK (paid_minor >= 0),
    status text NOT NULL CHECK (status IN ('due', 'paid', 'waived')),
    rules_version integer NOT NULL,
    assessed_by_member_id uuid,
    assessed_at timestamptz NOT NULL,
    waived_by_approval_id uuid,
    -- No fine twice for one occasion, whatever assesses it.
    CONSTRAINT fines_once UNIQUE (meeting_id, member_id, code, period),
    CHECK (paid_minor <= taken_minor AND taken_minor <= amount_minor),
    CHECK ((status = 'paid') = (paid_minor = amount_minor)),
    CHECK ((status = 'waived') = (waived_by_approval_id IS NOT NULL))
  )`,
  'CREATE INDEX fines_newest_first ON fines (association_id, assessed_at, id)',
  'CREATE INDEX fines_of_member ON fines (association_id, member_id, assessed_at, id)',
  'CREATE INDEX fines_by_status ON fines (association_id, status, assessed_at, id)',
  'CREATE INDEX fines_of_member_by_status ON fines (association_id, member_id, status, assessed_at, id)',
  'CREATE INDEX fines_of_meeting ON fines (meeting_id, assessed_at, id)',
  `CREATE TABLE fine_payments (
    -- The transfer has the same id.
    id uuid PRIMARY KEY,
    association_id uuid NOT NULL,
    fine_id uuid NOT NULL REFERENCES fines,
    member_id uuid NOT NULL,
    paid_by_member_id uuid NOT NULL,
    payer_user_id text NOT NULL,
    wallet_id text NOT NULL,
    amount_minor bigint NOT NULL CHECK (amount_minor > 0),
    currency text NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'paid', 'failed', 'refused')),
    failure_code text,
    statement text,
    created_at timestamptz NOT NULL,
    decided_at timestamptz,
    last_attempt_at timestamptz NOT NULL,
    CHECK ((status = 'pending') = (decided_at IS NULL)),
    CHECK ((failure_code IS NOT NULL) = (status IN ('failed', 'refused')))
  )`,
  'CREATE INDEX fine_payments_of_fine ON fine_payments (fine_id)',
  `CREATE INDEX fine_payments_pending ON fine_payments (last_attempt_at) WHERE status = 'pending'`,
];
