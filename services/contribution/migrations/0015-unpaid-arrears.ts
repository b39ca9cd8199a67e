import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import type { Migration } from '../../../lib/db/migrate.ts';

const UNPAID = 'WHERE paid_minor < amount_minor';

const INDEXES = {
  arrears_unpaid_oldest_first: `arrears (association_id, settled_at, meeting_id, debtor_id, creditor_id) ${UNPAID}`,
  arrears_unpaid_between: `arrears (association_id, debtor_id, creditor_id, settled_at, meeting_id) ${UNPAID}`,
};

/** Adds the indexes for the list of arrears: of all, and between two members. Those of one member have theirs. */
export class UnpaidArrears1764892800000 implements Migration {
  name = 'UnpaidArrears1764892800000';
  transaction = false;

  up(queryRunner: QueryRunner): Promise<void> {
    return buildIndexes(queryRunner, INDEXES);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropIndexes(queryRunner, INDEXES);
  }
}
