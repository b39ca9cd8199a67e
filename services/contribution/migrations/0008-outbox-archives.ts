import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createOutboxArchives, dropOutboxArchives } from '../../../lib/db/service-tables.ts';

/** Adds the records of the files with archived events. */
export class OutboxArchives1764288000000 implements MigrationInterface {
  name = 'OutboxArchives1764288000000';

  up(queryRunner: QueryRunner): Promise<void> {
    return createOutboxArchives(queryRunner);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropOutboxArchives(queryRunner);
  }
}
