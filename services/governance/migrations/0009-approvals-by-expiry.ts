import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import type { Migration } from '../../../lib/db/migrate.ts';

const OLD = { approvals_pending_of: `approvals (association_id) WHERE status = 'pending'` };
const NEW = { approvals_pending_by_expiry: `approvals (association_id, expires_at, id) WHERE status = 'pending'` };

/** Orders the index of an association's pending approvals by their expiry, in which an overview lists them. */
export class ApprovalsByExpiry1768200000000 implements Migration {
  name = 'ApprovalsByExpiry1768200000000';
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildIndexes(queryRunner, NEW);
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS approvals_pending_of');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await buildIndexes(queryRunner, OLD);
    await dropIndexes(queryRunner, NEW);
  }
}
