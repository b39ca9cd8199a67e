import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import type { Migration } from '../../../lib/db/migrate.ts';

const INDEXES = {
  cash_deposits_by_status: 'cash_deposits (association_id, status, id NULLS FIRST)',
  cash_deposits_by_member: 'cash_deposits (association_id, member_id, status, id NULLS FIRST)',
};

/** Adds the indexes for the list of recorded cash, which never shows refused requests. */
export class CashDepositsByStatus1700000000009 implements Migration {
  name = 'CashDepositsByStatus1700000000009';
  transaction = false;

  up(queryRunner: QueryRunner): Promise<void> {
    return buildIndexes(queryRunner, INDEXES);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropIndexes(queryRunner, INDEXES);
  }
}
