import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createOutboxLease, dropOutboxLease } from '../../../lib/db/service-tables.ts';

/** Adds the lease with which the outbox relays agree which of them publishes. */
export class OutboxLease1700000000004 implements MigrationInterface {
  name = 'OutboxLease1700000000004';

  up(queryRunner: QueryRunner): Promise<void> {
    return createOutboxLease(queryRunner);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropOutboxLease(queryRunner);
  }
}
