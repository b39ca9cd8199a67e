import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/** The complete privileges of the service's role on the tables that this migration changes or creates. */
const PRIVILEGES = {
  sheets:
    'SELECT, INSERT, UPDATE (lines, attendance, counted_minor, box_minor, note, sheet_hash, recorded_by_member_id, submission_id)',
  sheet_submissions: 'SELECT, INSERT, UPDATE (status, decision, refusal, decided_at, last_attempt_at)',
  submitted_lines: 'SELECT, INSERT',
  meetings: 'SELECT, INSERT, UPDATE (status, attempt_id, settling_since, settled_at, due_on, title)',
};

/** Adds meeting sheets, their submissions to the board, and what each line of a submission has taken. */
export class MeetingSheets1765065600000 implements MigrationInterface {
  name = 'MeetingSheets1765065600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    // A service that migrates as its own role may not refer to its tables otherwise. The grants below take it away again.
    await queryRunner.query('GRANT REFERENCES ON meetings TO CURRENT_USER');
    for (const statement of STATEMENTS) await queryRunner.query(statement);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE submitted_lines, sheet_submissions, sheets');
  }
}

const STATEMENTS = [
  `CREATE TABLE sheets (
    -- Chosen by the client.
    id uuid PRIMARY KEY,
    association_id uuid NOT NULL,
    meeting_id uuid NOT NULL REFERENCES meetings,
    currency text NOT NULL,
    lines jsonb NOT NULL,
    attendance jsonb NOT NULL,
    counted_minor bigint NOT NULL CHECK (counted_minor >= 0),
    box_minor bigint NOT NULL,
    note text,
    sheet_hash text NOT NULL,
    recorded_by_member_id uuid NOT NULL,
    submission_id uuid,
    created_at timestamptz NOT NULL
  )`,
  'CREATE INDEX sheets_newest_first ON sheets (meeting_id, created_at, id)',
  `CREATE TABLE sheet_submissions (
    -- The transfer has the same id.
    id uuid PRIMARY KEY,
    sheet_id uuid NOT NULL REFERENCES sheets,
    association_id uuid NOT NULL,
    meeting_id uuid NOT NULL,
    currency text NOT NULL,
    status text NOT NULL CHECK (status IN
      ('opening', 'submitted', 'posting', 'confirmed', 'reversing', 'reversed', 'rejected', 'refused')),
    approval_id uuid NOT NULL UNIQUE,
    submitted_by_member_id uuid NOT NULL,
    decision text CHECK (decision IN ('approved', 'rejected', 'expired', 'cancelled')),
    refusal jsonb,
    submitted_at timestamptz NOT NULL,
    decided_at timestamptz,
    last_attempt_at timestamptz NOT NULL,
    CHECK ((decided_at IS NULL) = (status IN ('opening', 'submitted', 'posting'))),
    CHECK ((decision IS NULL) = (status IN ('opening', 'submitted', 'refused')))
  )`,
  // A sheet is in the ledger at most once.
  `CREATE UNIQUE INDEX sheet_submissions_once ON sheet_submissions (sheet_id) WHERE status NOT IN ('rejected', 'refused')`,
  `CREATE INDEX sheet_submissions_open ON sheet_submissions (meeting_id) WHERE status IN ('opening', 'submitted', 'posting')`,
  `CREATE INDEX sheet_submissions_of_association ON sheet_submissions (association_id)
     WHERE status IN ('opening', 'submitted', 'posting')`,
  `CREATE INDEX sheet_submissions_confirmed ON sheet_submissions (meeting_id, submitted_at)
     WHERE status IN ('confirmed', 'reversing')`,
  `CREATE INDEX sheet_submissions_unfinished ON sheet_submissions (last_attempt_at) WHERE status IN ('opening', 'posting')`,
  `CREATE TABLE submitted_lines (
    submission_id uuid NOT NULL REFERENCES sheet_submissions,
    line integer NOT NULL CHECK (line >= 0),
    kind text NOT NULL CHECK (kind IN ('contribution', 'fine', 'treasury')),
    member_id uuid NOT NULL,
    amount_minor bigint NOT NULL CHECK (amount_minor > 0),
    contribution_id uuid UNIQUE,
    fine_id uuid,
    PRIMARY KEY (submission_id, line),
    CHECK ((kind = 'contribution') = (contribution_id IS NOT NULL)),
    CHECK ((kind = 'fine') = (fine_id IS NOT NULL))
  )`,
  'CREATE INDEX submitted_lines_of_fine ON submitted_lines (fine_id) WHERE fine_id IS NOT NULL',
];
