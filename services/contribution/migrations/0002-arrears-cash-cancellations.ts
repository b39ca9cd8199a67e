import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIdempotencyKeys } from '../../../lib/idempotency/table.ts';
import { grantTo } from '../../../lib/db/migrate.ts';

/**
 * The privileges of the service's role. Those on `meetings` are unchanged, but granted again: a service that migrates as
 * its own role holds REFERENCES on `meetings` until its new tables refer to it.
 */
const PRIVILEGES = {
  meetings: 'SELECT, INSERT, UPDATE (status, attempt_id, settling_since, settled_at)',
  arrears: 'SELECT, INSERT, UPDATE (taken_minor, paid_minor)',
  arrears_allocations: 'SELECT, INSERT',
  cash_claims: 'SELECT, INSERT, UPDATE (refusal)',
};

/**
 * Adds arrears and their allocations, contributions in cash, settlements that keep savings or cancel a meeting, and
 * idempotency keys.
 */
export class ArrearsCashCancellations1763769600000 implements MigrationInterface {
  name = 'ArrearsCashCancellations1763769600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIdempotencyKeys(queryRunner);
    await changeContributions(queryRunner);
    await changeSettlements(queryRunner);
    await queryRunner.query('GRANT REFERENCES ON meetings TO CURRENT_USER');
    await createArrears(queryRunner);
    await createCashClaims(queryRunner);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE cash_claims, arrears_allocations, arrears, idempotency_keys');
    await queryRunner.query(`
      ALTER TABLE settlements DROP CONSTRAINT settlements_paid_out, DROP COLUMN kind,
        DROP COLUMN savings_emoney_minor, DROP COLUMN savings_cash_minor, DROP COLUMN claims,
        ADD CONSTRAINT settlements_to_treasury_minor_check CHECK (to_treasury_minor >= 0)`);
    await queryRunner.query(`
      ALTER TABLE contributions DROP CONSTRAINT contributions_paid_from, DROP COLUMN kind,
        ALTER COLUMN payer_user_id SET NOT NULL`);
  }
}

async function changeContributions(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    ALTER TABLE contributions
      -- Pays into the meeting's pool or, after its settlement, directly to the creditors.
      ADD COLUMN kind text NOT NULL DEFAULT 'pool' CHECK (kind IN ('pool', 'arrears')),
      -- Null for cash, which has no payer.
      ALTER COLUMN payer_user_id DROP NOT NULL,
      ADD CONSTRAINT contributions_paid_from CHECK (
        (method = 'wallet') = (payer_user_id IS NOT NULL) AND (method = 'wallet' OR kind = 'pool'))`);
}

async function changeSettlements(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    ALTER TABLE settlements
      ADD COLUMN kind text NOT NULL DEFAULT 'settlement' CHECK (kind IN ('settlement', 'cancellation')),
      -- The changes of the savings in the treasury; negative if they decrease.
      ADD COLUMN savings_emoney_minor bigint NOT NULL DEFAULT 0,
      ADD COLUMN savings_cash_minor bigint NOT NULL DEFAULT 0,
      -- The arrears that it leaves, as they were when it settled.
      ADD COLUMN claims jsonb NOT NULL DEFAULT '[]',
      -- Negative if savings end, as what earlier rounds brought to the treasury returns.
      DROP CONSTRAINT settlements_to_treasury_minor_check,
      ADD CONSTRAINT settlements_paid_out CHECK (
        to_treasury_minor >= 0 OR to_treasury_minor = savings_emoney_minor + savings_cash_minor)`);
}

async function createArrears(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE arrears (
      meeting_id uuid NOT NULL REFERENCES meetings,
      debtor_id uuid NOT NULL,
      creditor_id uuid NOT NULL,
      association_id uuid NOT NULL,
      -- The creditor's place among the round's beneficiaries; arrears are paid off in this order.
      rank integer NOT NULL CHECK (rank >= 0),
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      -- What is paid or in flight.
      taken_minor bigint NOT NULL DEFAULT 0,
      paid_minor bigint NOT NULL DEFAULT 0,
      -- When the meeting settled; the oldest arrears are set off first.
      settled_at timestamptz NOT NULL,
      PRIMARY KEY (meeting_id, debtor_id, creditor_id),
      UNIQUE (meeting_id, debtor_id, rank),
      CONSTRAINT arrears_not_to_oneself CHECK (debtor_id <> creditor_id),
      CONSTRAINT arrears_paid_once CHECK (0 <= paid_minor AND paid_minor <= taken_minor AND taken_minor <= amount_minor)
    )`);
  await queryRunner.query(`
    CREATE INDEX arrears_unpaid ON arrears (association_id, debtor_id, settled_at, meeting_id, rank)
    WHERE paid_minor < amount_minor`);
  await queryRunner.query(`
    CREATE TABLE arrears_allocations (
      -- The contribution or the settlement that pays; its transfer has the same id.
      payment_id uuid NOT NULL,
      meeting_id uuid NOT NULL,
      debtor_id uuid NOT NULL,
      creditor_id uuid NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      -- The creditor's wallet; null for a settlement, whose payouts name the wallet.
      wallet_id text,
      PRIMARY KEY (payment_id, meeting_id, debtor_id, creditor_id),
      FOREIGN KEY (meeting_id, debtor_id, creditor_id) REFERENCES arrears
    )`);
}

async function createCashClaims(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE cash_claims (
      -- A contribution in cash. The treasury repeats its request until it is answered; the first outcome is final.
      contribution_id uuid PRIMARY KEY,
      -- Why the due was not taken, as code and extras; null if it was taken.
      refusal jsonb
    )`);
}
