import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Gives cycles the time zone of their association, in which late payments are judged. */
export class TimeZones1764633600000 implements MigrationInterface {
  name = 'TimeZones1764633600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE cycles ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE cycles DROP COLUMN time_zone');
  }
}
