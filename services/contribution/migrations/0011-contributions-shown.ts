import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import type { Migration } from '../../../lib/db/migrate.ts';

const OLD = { contributions_newest_first: 'contributions (meeting_id, created_at, id)' };
const NEW = {
  contributions_shown: `contributions (meeting_id, created_at, id) WHERE status IN ('pending', 'paid', 'failed')`,
};

/**
 * Leaves refused contributions out of the index for the contributions to a meeting. They are never shown, and a member can
 * make many of them.
 */
export class ContributionsShown1764547200000 implements Migration {
  name = 'ContributionsShown1764547200000';
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildIndexes(queryRunner, NEW);
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS contributions_newest_first');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await buildIndexes(queryRunner, OLD);
    await dropIndexes(queryRunner, NEW);
  }
}
