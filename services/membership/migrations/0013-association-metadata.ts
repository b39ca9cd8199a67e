import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the metadata of associations; null if there is none. */
export class AssociationMetadata1768262400000 implements MigrationInterface {
  name = 'AssociationMetadata1768262400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE associations ADD COLUMN metadata json');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE associations DROP COLUMN metadata');
  }
}
