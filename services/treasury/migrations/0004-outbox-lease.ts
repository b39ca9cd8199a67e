import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createOutboxLease, dropOutboxLease } from '../../../lib/db/service-tables.ts';

/** Lets the relays of the outbox agree by a lease which one publishes. */
export class OutboxLease1700000000004 implements MigrationInterface {
  name = 'OutboxLease1700000000004';

  up(queryRunner: QueryRunner): Promise<void> {
    return createOutboxLease(queryRunner);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropOutboxLease(queryRunner);
  }
}
