import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/** Stores what each member of a cycle owes for a round, and gives the columns of sagas the names that all services use. */
export class DueOfMembers1764201600000 implements MigrationInterface {
  name = 'DueOfMembers1764201600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of SAGA_TABLES) {
      await queryRunner.query(`ALTER TABLE ${table} RENAME COLUMN driven_at TO last_attempt_at`);
    }
    await queryRunner.query('ALTER TABLE cycle_members ADD COLUMN due_minor bigint CHECK (due_minor > 0)');
    // Where the service migrates as itself, it may write what it has been granted and no more.
    await grantTo(queryRunner, 'cycle_members', 'SELECT, INSERT, UPDATE (due_minor)');
    // The terms of a cycle stand from its start, so what they make due stands as well.
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
