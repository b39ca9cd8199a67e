import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createOutboxLease, dropOutboxLease } from '../../../lib/db/service-tables.ts';

/** Adds the lease that decides which relay publishes the outbox. */
export class OutboxLease1764000000000 implements MigrationInterface {
  name = 'OutboxLease1764000000000';

  up(queryRunner: QueryRunner): Promise<void> {
    return createOutboxLease(queryRunner);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropOutboxLease(queryRunner);
  }
}
