import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/** Stores what each member of a cycle owes for a round, and renames the sagas' columns as in all services. */
export class DueOfMembers1764201600000 implements MigrationInterface {
  name = 'DueOfMembers1764201600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of SAGA_TABLES) {
      await queryRunner.query(`ALTER TABLE ${table} RENAME COLUMN driven_at TO last_attempt_at`);
    }
    await queryRunner.query('ALTER TABLE cycle_members ADD COLUMN due_minor bigint CHECK (due_minor > 0)');
    // A service that migrates as its own role may write only what it has been granted.
    await grantTo(queryRunner, 'cycle_members', 'SELECT, INSERT, UPDATE (due_minor)');
    // The terms of a cycle never change after its start, so neither do the dues.
    await queryRunner.query(`
      UPDATE cycle_members cm SET due_minor = cm.hands * c.contribution_amount_minor
      FROM cycles c WHERE c.id = cm.cycle_id`);
    await grantTo(queryRunner, 'cycle_members', 'SELECT, INSERT');
    await queryRunner.query('ALTER TABLE cycle_members ALTER COLUMN due_minor SET NOT NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE cycle_members DROP COLUMN due_minor');
    for (const table of SAGA_TABLES) {
      await queryRunner.query(`ALTER TABLE ${table} RENAME COLUMN last_attempt_at TO driven_at`);
    }
  }
}

const SAGA_TABLES = ['cycles', 'contributions', 'settlements'];
