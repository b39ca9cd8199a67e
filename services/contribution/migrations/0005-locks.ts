import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Gives the table of locks the form that it has in all services. Renaming a table keeps its privileges. */
export class Locks1764028800000 implements MigrationInterface {
  name = 'Locks1764028800000';

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
