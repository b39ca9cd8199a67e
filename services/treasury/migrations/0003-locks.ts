import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Changes locks of associations to locks of any subject, such as a membership. Privileges stay with the table. */
export class Locks1700000000003 implements MigrationInterface {
  name = 'Locks1700000000003';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE sealed_associations RENAME TO locks');
    await queryRunner.query('ALTER TABLE locks RENAME COLUMN association_id TO subject');
    await queryRunner.query('ALTER TABLE locks RENAME COLUMN approval_id TO owner_id');
    await queryRunner.query('ALTER TABLE locks ALTER COLUMN subject TYPE text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM locks WHERE subject LIKE '%/%'`);
    await queryRunner.query('ALTER TABLE locks ALTER COLUMN subject TYPE uuid USING subject::uuid');
    await queryRunner.query('ALTER TABLE locks RENAME COLUMN subject TO association_id');
    await queryRunner.query('ALTER TABLE locks RENAME COLUMN owner_id TO approval_id');
    await queryRunner.query('ALTER TABLE locks RENAME TO sealed_associations');
  }
}
