import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Gives associations the time zone in which their days are judged. Until now it was UTC. */
export class TimeZones1767916800000 implements MigrationInterface {
  name = 'TimeZones1767916800000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE associations ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE associations DROP COLUMN time_zone');
  }
}
