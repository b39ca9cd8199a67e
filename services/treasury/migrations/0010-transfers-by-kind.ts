import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import type { Migration } from '../../../lib/db/migrate.ts';

const INDEXES = {
  transfers_by_kind: `transfers (association_id, kind, posted_at, seq)
    WHERE association_id IS NOT NULL AND seq IS NOT NULL`,
};

/**
 * Adds the index for lists of transfers by kind and time, and for balances of past instants. Times are not in the order of
 * the chain, as several processes post to it.
 */
export class TransfersByKind1700000000010 implements Migration {
  name = 'TransfersByKind1700000000010';
  transaction = false;

  up(queryRunner: QueryRunner): Promise<void> {
    return buildIndexes(queryRunner, INDEXES);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropIndexes(queryRunner, INDEXES);
  }
}
