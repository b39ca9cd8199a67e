import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/** The complete privileges on each table, as a grant replaces the earlier ones. */
const PRIVILEGES = {
  cycles: `SELECT, INSERT, UPDATE (number, status, frequency, currency, contribution_amount_minor, rules, rules_version,
    hands_total, rounds, seed, refusal, driven_at)`,
  meetings: 'SELECT, INSERT, UPDATE (status, attempt_id, settling_since, settled_at, due_on, title)',
  sealed_associations: 'SELECT, INSERT, UPDATE (lifted)',
};

/** Adds cycles of savings, drawn orders, the refusal of a start, changes of meetings, and the lock of a closure. */
export class CreateSavingsAndDraws1763856000000 implements MigrationInterface {
  name = 'CreateSavingsAndDraws1763856000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(NEW_COLUMNS);
    await queryRunner.query(SEALED_ASSOCIATIONS);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
    // After the grants, as a service that migrates as its own role may write only what it has been granted.
    await queryRunner.query(REASON_OF_EARLIER_REFUSALS);
    await queryRunner.query(CONSTRAINTS);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE sealed_associations');
    await queryRunner.query(`
      ALTER TABLE cycles
        DROP CONSTRAINT cycles_order_known, DROP CONSTRAINT cycles_manual_names_members,
        DROP CONSTRAINT cycles_seed_hex, DROP CONSTRAINT cycles_seed_of_running_draw,
        DROP CONSTRAINT cycles_hands_once_running, DROP CONSTRAINT cycles_rounds_known,
        DROP CONSTRAINT cycles_refusal_of_refused,
        DROP COLUMN seed, DROP COLUMN refusal,
        ADD CONSTRAINT cycles_check1 CHECK ((number IS NULL) = (hands_total IS NULL) AND (number IS NULL) = (rounds IS NULL)),
        ALTER COLUMN rotation_order SET NOT NULL`);
  }
}

const NEW_COLUMNS = `
  ALTER TABLE cycles
    -- Null for savings, which have no turns.
    ALTER COLUMN rotation_order DROP NOT NULL,
    -- For a draw: 32 random bytes, generated after the members are bound.
    ADD COLUMN seed text,
    -- Why the cycle could not start: {code, extras}.
    ADD COLUMN refusal jsonb,
    -- It required that rounds are null until a cycle runs, but the rounds of savings are requested.
    DROP CONSTRAINT cycles_check1`;

/** The refusals that earlier releases did not store. Their requests had no idempotency keys, so no client repeats them. */
const REASON_OF_EARLIER_REFUSALS = `
  UPDATE cycles SET refusal = '{"code": "cycle_in_progress", "extras": {}}' WHERE status IN ('refusing', 'refused')`;

const CONSTRAINTS = `
  ALTER TABLE cycles
    ADD CONSTRAINT cycles_order_known CHECK (rotation_order IN ('join', 'draw', 'manual')),
    ADD CONSTRAINT cycles_manual_names_members
      CHECK ((member_order IS NOT NULL) = (rotation_order IS NOT DISTINCT FROM 'manual')),
    ADD CONSTRAINT cycles_seed_hex CHECK (seed ~ '^[0-9a-f]{64}$'),
    ADD CONSTRAINT cycles_seed_of_running_draw
      CHECK ((seed IS NOT NULL) = (rotation_order IS NOT DISTINCT FROM 'draw' AND number IS NOT NULL)),
    ADD CONSTRAINT cycles_hands_once_running CHECK ((hands_total IS NULL) = (number IS NULL)),
    ADD CONSTRAINT cycles_rounds_known
      CHECK ((rounds IS NULL) = (number IS NULL AND rotation_order IS NOT NULL) AND rounds > 0),
    ADD CONSTRAINT cycles_refusal_of_refused CHECK ((refusal IS NOT NULL) = (status IN ('refusing', 'refused')))`;

const SEALED_ASSOCIATIONS = `
  CREATE TABLE sealed_associations (
    association_id uuid NOT NULL,
    approval_id uuid NOT NULL,
    -- The closure has failed: a late request to lock has no effect.
    lifted boolean NOT NULL,
    PRIMARY KEY (association_id, approval_id)
  )`;
