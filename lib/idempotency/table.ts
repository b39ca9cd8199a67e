import type { QueryRunner } from 'typeorm';
import { grantTo } from '../db/migrate.ts';
import { IDEMPOTENCY_TABLES } from './idempotency-tables.ts';

/** Creates the table of a service's claimed idempotency keys. For a migration of each service that owns tables. */
export async function createIdempotencyKeys(queryRunner: QueryRunner): Promise<void> {
  for (const statement of IDEMPOTENCY_TABLES) await queryRunner.query(statement);
  await grantTo(
    queryRunner,
    'idempotency_keys',
    'SELECT, INSERT, UPDATE (fingerprint, operation_id, held_until, claimed_at, answer), DELETE',
  );
}
