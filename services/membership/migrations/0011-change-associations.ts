import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

const UPDATED = 'member_count, status, contribution_amount_minor, max_members, rules, rules_version';

/** Lets associations have another name, description and visibility. */
export class ChangeAssociations1768089600000 implements MigrationInterface {
  name = 'ChangeAssociations1768089600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = `${UPDATED}, name, description, is_public, search_text`;
    await grantTo(queryRunner, 'associations', `SELECT, INSERT, UPDATE (${columns})`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await grantTo(queryRunner, 'associations', `SELECT, INSERT, UPDATE (${UPDATED})`);
  }
}
