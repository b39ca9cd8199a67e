import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import type { Migration } from '../../../lib/db/migrate.ts';

const INDEXES = { distributions_by_status: 'distributions (association_id, status, id NULLS FIRST)' };

/** Adds the index for the list of distributions, which never shows refused ones. */
export class DistributionsByStatus1700000000008 implements Migration {
  name = 'DistributionsByStatus1700000000008';
  transaction = false;

  up(queryRunner: QueryRunner): Promise<void> {
    return buildIndexes(queryRunner, INDEXES);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropIndexes(queryRunner, INDEXES);
  }
}
