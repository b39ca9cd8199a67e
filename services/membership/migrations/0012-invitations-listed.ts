import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import { grantTo, type Migration } from '../../../lib/db/migrate.ts';

const INDEXES = { invitations_newest_first: 'invitations (association_id, created_at DESC, id DESC)' };

/** Adds the index for the list of invitations, and lets them be withdrawn. */
export class InvitationsListed1768176000000 implements Migration {
  name = 'InvitationsListed1768176000000';
  transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildIndexes(queryRunner, INDEXES);
    await grantTo(queryRunner, 'invitations', 'SELECT, INSERT, UPDATE (uses), DELETE');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndexes(queryRunner, INDEXES);
    await grantTo(queryRunner, 'invitations', 'SELECT, INSERT, UPDATE (uses)');
  }
}
