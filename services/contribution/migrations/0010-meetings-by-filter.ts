import type { QueryRunner } from 'typeorm';
import { buildIndexes, dropIndexes } from '../../../lib/db/indexes.ts';
import type { Migration } from '../../../lib/db/migrate.ts';

const IN_ORDER = 'due_on, (coalesce(round, 0)), id';

const INDEXES = {
  meetings_by_status: `meetings (association_id, status, ${IN_ORDER})`,
  meetings_by_cycle: `meetings (association_id, cycle_id, ${IN_ORDER})`,
  meetings_by_cycle_and_status: `meetings (association_id, cycle_id, status, ${IN_ORDER})`,
  meetings_unfinished: `meetings (cycle_id, round) WHERE status IN ('open', 'settling')`,
};

/** Adds an index for each combination of filters of the list of meetings, and one for the earlier rounds of a settlement. */
export class MeetingsByFilter1764460800000 implements Migration {
  name = 'MeetingsByFilter1764460800000';
  transaction = false;

  up(queryRunner: QueryRunner): Promise<void> {
    return buildIndexes(queryRunner, INDEXES);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropIndexes(queryRunner, INDEXES);
  }
}
