import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import type { Migration } from '../../../lib/db/migrate.ts';

const OLD = {
  contributions_pending: `contributions (meeting_id, last_attempt_at) WHERE status = 'pending'`,
  contributions_shown: `contributions (meeting_id, created_at, id) WHERE status IN ('pending', 'paid', 'failed')`,
};
const NEW = {
  contributions_in_flight: `contributions (meeting_id, last_attempt_at) WHERE status IN ('pending', 'reversing')`,
  contributions_of_meeting: `contributions (meeting_id, created_at, id)
    WHERE status IN ('pending', 'paid', 'reversing', 'reversed', 'failed')`,
};

/** Has contributions that are taken back in the indexes of those in flight and of those that clients see. */
export class IndexReversals1765238400000 implements Migration {
  name = 'IndexReversals1765238400000';
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildIndexes(queryRunner, NEW);
    for (const name of Object.keys(OLD)) await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await buildIndexes(queryRunner, OLD);
    await dropIndexes(queryRunner, NEW);
  }
}
