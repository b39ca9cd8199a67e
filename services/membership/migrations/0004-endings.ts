import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

const PRIVILEGES = {
  members: 'SELECT, INSERT, UPDATE (display_name, role, status, hands, payout_wallet_id, joined_at, tenure)',
  endings: 'SELECT, INSERT, UPDATE (state, refusal, touched_at)',
};

/** Adds the number of a member's departures, and replaces closings by endings of associations and memberships. */
export class Endings1767484800000 implements MigrationInterface {
  name = 'Endings1767484800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE members ADD COLUMN tenure integer NOT NULL DEFAULT 0 CHECK (tenure >= 0)');
    await queryRunner.query(`
      CREATE TABLE endings (
        id uuid PRIMARY KEY,
        association_id uuid NOT NULL,
        kind text NOT NULL CHECK (kind IN ('closure', 'leaving', 'expulsion')),
        member_id uuid,
        tenure integer,
        state text NOT NULL CHECK (state IN ('locking', 'unlocking', 'done', 'refused')),
        refusal text,
        touched_at timestamptz NOT NULL,
        CHECK ((kind = 'closure') = (member_id IS NULL) AND (member_id IS NULL) = (tenure IS NULL)),
        CHECK ((state IN ('unlocking', 'refused')) = (refusal IS NOT NULL))
      )`);
    await queryRunner.query(`
      INSERT INTO endings (id, association_id, kind, state, refusal, touched_at)
      SELECT approval_id, association_id, 'closure',
        CASE state WHEN 'sealing' THEN 'locking' WHEN 'unsealing' THEN 'unlocking' WHEN 'closed' THEN 'done'
          ELSE 'refused' END,
        CASE WHEN state IN ('unsealing', 'reopened') THEN 'association_not_empty' END, touched_at
      FROM closings`);
    await queryRunner.query('DROP TABLE closings');
    await queryRunner.query('ALTER TABLE associations DROP COLUMN closing_approval_id');
    const underWay = `WHERE state IN ('locking', 'unlocking')`;
    await queryRunner.query(
      `CREATE UNIQUE INDEX endings_one_under_way ON endings (association_id, member_id) NULLS NOT DISTINCT ${underWay}`,
    );
    await queryRunner.query(`CREATE INDEX endings_untouched ON endings (touched_at) ${underWay}`);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE associations ADD COLUMN closing_approval_id uuid');
    await queryRunner.query(`
      CREATE TABLE closings (
        approval_id uuid PRIMARY KEY,
        association_id uuid NOT NULL,
        state text NOT NULL CHECK (state IN ('sealing', 'unsealing', 'closed', 'reopened')),
        touched_at timestamptz NOT NULL
      )`);
    await queryRunner.query('DROP TABLE endings');
    await queryRunner.query('ALTER TABLE members DROP COLUMN tenure');
  }
}
