import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import type { Migration } from '../../../lib/db/migrate.ts';

const INDEXES = {
  approvals_by_status: 'approvals (association_id, status, requested_at, id)',
  approvals_by_subject: 'approvals (association_id, subject_type, requested_at, id)',
  approvals_by_subject_and_status: 'approvals (association_id, subject_type, status, requested_at, id)',
};

/** Adds an index for each combination of filters of the list of approvals. */
export class ApprovalsByFilter1767000000000 implements Migration {
  name = 'ApprovalsByFilter1767000000000';
  transaction = false;

  up(queryRunner: QueryRunner): Promise<void> {
    return buildIndexes(queryRunner, INDEXES);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropIndexes(queryRunner, INDEXES);
  }
}
