import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import type { Migration } from '../../../lib/db/migrate.ts';

const INDEXES = { cycle_hands_of_member: 'cycle_hands (cycle_id, member_id, round)' };

/** Adds the index for the turns of a member, which their overview reads. A cycle can have 200 000 hands. */
export class HandsOfMembers1764806400000 implements Migration {
  name = 'HandsOfMembers1764806400000';
  transaction = false;

  up(queryRunner: QueryRunner): Promise<void> {
    return buildIndexes(queryRunner, INDEXES);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropIndexes(queryRunner, INDEXES);
  }
}
