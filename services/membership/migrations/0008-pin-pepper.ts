import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/** Records which pepper each PIN is hashed with, so that the pepper can be replaced. Of earlier PINs it is not recorded. */
export class PinPepper1767830400000 implements MigrationInterface {
  name = 'PinPepper1767830400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE pins ADD COLUMN pepper bytea');
    const columns = 'salt, hash, pepper, failed_attempts, lock_count, locked_until, set_at';
    await grantTo(queryRunner, 'pins', `SELECT, INSERT, UPDATE (${columns}), DELETE`);
    await grantTo(queryRunner, 'pin_pepper', 'SELECT, INSERT, UPDATE (check_value)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE pins DROP COLUMN pepper');
    await grantTo(
      queryRunner,
      'pins',
      'SELECT, INSERT, UPDATE (salt, hash, failed_attempts, lock_count, locked_until, set_at), DELETE',
    );
    await grantTo(queryRunner, 'pin_pepper', 'SELECT, INSERT');
  }
}
