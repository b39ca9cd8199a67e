import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createServiceTables } from '../../../lib/db/service-tables.ts';
import { grantTo } from '../../../lib/db/migrate.ts';

/**
 * The privileges of the service's role. They are granted last: if the service migrates as its own role, a grant takes the
 * owner's REFERENCES from a table, and the tables created after it could not refer to it.
 */
const PRIVILEGES = {
  cycles: `SELECT, INSERT, UPDATE (number, status, frequency, currency, contribution_amount_minor, rules, rules_version,
    hands_total, rounds, driven_at)`,
  cycle_hands: 'SELECT, INSERT',
  cycle_members: 'SELECT, INSERT',
  meetings: 'SELECT, INSERT, UPDATE (status, attempt_id, settling_since, settled_at)',
  dues: 'SELECT, INSERT, UPDATE (taken_minor, paid_minor)',
  contributions: 'SELECT, INSERT, UPDATE (status, outstanding_minor, failure_code, decided_at, driven_at)',
  settlements: 'SELECT, INSERT, UPDATE (status, failure_code, settled_at, driven_at)',
};

/** Cycles with their hands and members, meetings, dues, contributions, settlements. */
export class CreateTables1763683200000 implements MigrationInterface {
  name = 'CreateTables1763683200000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createServiceTables(queryRunner);
    await createCycles(queryRunner);
    await createMeetings(queryRunner);
    await createContributions(queryRunner);
    await createSettlements(queryRunner);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DROP TABLE settlements, contributions, dues, meetings, cycle_members, cycle_hands, cycles',
    );
    await queryRunner.query('DROP TABLE outbox, inbox, dead_letters, cursor_keys');
  }
}

async function createCycles(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE cycles (
      id uuid PRIMARY KEY,
      association_id uuid NOT NULL,
      -- Null until the cycle runs, so that the numbers that clients see have no gaps.
      number integer,
      status text NOT NULL CHECK (status IN ('starting', 'refusing', 'refused', 'running', 'completed')),
      rotation_order text NOT NULL,
      member_order uuid[],
      starts_on date NOT NULL,
      frequency text NOT NULL,
      currency text NOT NULL,
      contribution_amount_minor bigint NOT NULL CHECK (contribution_amount_minor > 0),
      rules jsonb NOT NULL,
      rules_version integer NOT NULL,
      hands_total integer,
      rounds integer,
      created_at timestamptz NOT NULL,
      -- When the last attempt began; recovery does not touch recent attempts.
      driven_at timestamptz NOT NULL,
      UNIQUE (association_id, number),
      CHECK ((status IN ('running', 'completed')) = (number IS NOT NULL)),
      CHECK ((number IS NULL) = (hands_total IS NULL) AND (number IS NULL) = (rounds IS NULL))
    )`);
  await queryRunner.query(`
    CREATE UNIQUE INDEX cycles_one_live ON cycles (association_id)
    WHERE status IN ('starting', 'refusing', 'running')`);
  await queryRunner.query(`
    CREATE INDEX cycles_half_started ON cycles (driven_at) WHERE status IN ('starting', 'refusing')`);
  await queryRunner.query(`
    CREATE TABLE cycle_hands (
      cycle_id uuid NOT NULL REFERENCES cycles,
      position integer NOT NULL,
      member_id uuid NOT NULL,
      round integer NOT NULL,
      PRIMARY KEY (cycle_id, position)
    )`);
  await queryRunner.query('CREATE INDEX cycle_hands_by_round ON cycle_hands (cycle_id, round, position)');
  await queryRunner.query(`
    CREATE TABLE cycle_members (
      cycle_id uuid NOT NULL REFERENCES cycles,
      member_id uuid NOT NULL,
      hands integer NOT NULL CHECK (hands > 0),
      -- The member's place in join order.
      ordinal integer NOT NULL,
      PRIMARY KEY (cycle_id, member_id),
      UNIQUE (cycle_id, ordinal)
    )`);
}

async function createMeetings(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE meetings (
      id uuid PRIMARY KEY,
      association_id uuid NOT NULL,
      cycle_id uuid REFERENCES cycles,
      round integer,
      title text,
      due_on date NOT NULL,
      status text NOT NULL CHECK (status IN ('open', 'settling', 'settled', 'cancelled')),
      currency text NOT NULL,
      expected_minor bigint NOT NULL CHECK (expected_minor >= 0),
      -- The attempt to settle the meeting: only this attempt may store a plan or open the meeting again.
      attempt_id uuid,
      -- When the attempt began; null once its plan is stored, as recovery then carries out the plan.
      settling_since timestamptz,
      settled_at timestamptz,
      created_at timestamptz NOT NULL,
      UNIQUE (cycle_id, round),
      CHECK ((cycle_id IS NULL) = (round IS NULL)),
      CHECK ((status = 'settled') = (settled_at IS NOT NULL)),
      CHECK (status = 'settling' OR settling_since IS NULL),
      CHECK (status <> 'settling' OR attempt_id IS NOT NULL)
    )`);
  await queryRunner.query(`
    CREATE INDEX meetings_in_order ON meetings (association_id, due_on, (coalesce(round, 0)), id)`);
  await queryRunner.query(`CREATE INDEX meetings_settling ON meetings (settling_since) WHERE status = 'settling'`);
  await queryRunner.query(`
    CREATE TABLE dues (
      meeting_id uuid NOT NULL REFERENCES meetings,
      member_id uuid NOT NULL,
      -- Null outside a cycle, where nothing is owed and any amount may be paid.
      due_minor bigint,
      -- What is paid or in flight.
      taken_minor bigint NOT NULL,
      paid_minor bigint NOT NULL,
      PRIMARY KEY (meeting_id, member_id),
      CHECK (0 <= paid_minor AND paid_minor <= taken_minor),
      CONSTRAINT dues_not_exceeded CHECK (due_minor IS NULL OR taken_minor <= due_minor)
    )`);
}

async function createContributions(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE contributions (
      -- The transfer has the same id.
      id uuid PRIMARY KEY,
      association_id uuid NOT NULL,
      meeting_id uuid NOT NULL,
      member_id uuid NOT NULL,
      paid_by_member_id uuid NOT NULL,
      payer_user_id text NOT NULL,
      wallet_id text,
      method text NOT NULL CHECK (method IN ('wallet', 'cash')),
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      currency text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'paid', 'failed', 'refused')),
      outstanding_minor bigint NOT NULL CHECK (outstanding_minor >= 0),
      failure_code text,
      created_at timestamptz NOT NULL,
      decided_at timestamptz,
      driven_at timestamptz NOT NULL,
      FOREIGN KEY (meeting_id, member_id) REFERENCES dues,
      CHECK ((status = 'pending') = (decided_at IS NULL)),
      CHECK ((method = 'wallet') = (wallet_id IS NOT NULL))
    )`);
  await queryRunner.query('CREATE INDEX contributions_newest_first ON contributions (meeting_id, created_at, id)');
  await queryRunner.query(`
    CREATE INDEX contributions_pending ON contributions (meeting_id, driven_at) WHERE status = 'pending'`);
}

async function createSettlements(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE settlements (
      -- The transfer has the same id.
      id uuid PRIMARY KEY,
      association_id uuid NOT NULL,
      meeting_id uuid NOT NULL REFERENCES meetings,
      status text NOT NULL CHECK (status IN ('planned', 'settled', 'refused')),
      currency text NOT NULL,
      collected_minor bigint NOT NULL CHECK (collected_minor >= 0),
      expected_minor bigint NOT NULL CHECK (expected_minor >= 0),
      paid_out_minor bigint NOT NULL CHECK (paid_out_minor >= 0),
      to_treasury_minor bigint NOT NULL CHECK (to_treasury_minor >= 0),
      payouts jsonb NOT NULL,
      legs jsonb NOT NULL,
      rules_version integer NOT NULL,
      settled_by_member_id uuid NOT NULL,
      failure_code text,
      created_at timestamptz NOT NULL,
      settled_at timestamptz,
      driven_at timestamptz NOT NULL,
      CONSTRAINT settlements_conserve CHECK (paid_out_minor + to_treasury_minor = collected_minor),
      CHECK ((status = 'settled') = (settled_at IS NOT NULL))
    )`);
  await queryRunner.query(`
    CREATE UNIQUE INDEX settlements_one_live ON settlements (meeting_id) WHERE status <> 'refused'`);
  await queryRunner.query(`CREATE INDEX settlements_planned ON settlements (driven_at) WHERE status = 'planned'`);
}
