import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIdempotencyKeys } from '../../../lib/idempotency/table.ts';
import { grantTo } from '../../../lib/db/migrate.ts';
import type { AssociationRow } from '../associations/association.table.ts';
import { searchText } from '../associations/search-text.rules.ts';

/** The privileges of the service's role on the tables that change here; see 0001 for why they are granted last. */
const PRIVILEGES = {
  associations: `SELECT, INSERT, UPDATE (member_count, status, closing_approval_id, contribution_amount_minor,
    max_members, rules, rules_version)`,
  closings: 'SELECT, INSERT, UPDATE (state, touched_at)',
  used_ciphertexts: 'SELECT, INSERT, UPDATE (used_at), DELETE',
};

/** The number of associations whose search text one statement sets. */
const BACKFILL_ROWS = 1_000;

/** Adds the directory's search, closures, changes of rules, idempotency keys, and ciphertexts of repeated requests. */
export class WholeContract1767312000000 implements MigrationInterface {
  name = 'WholeContract1767312000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIdempotencyKeys(queryRunner);
    await createClosings(queryRunner);
    // Both are null for a request without a key. Its ciphertext is never accepted again.
    await queryRunner.query(
      `ALTER TABLE used_ciphertexts ADD COLUMN idempotency_key text, ADD COLUMN fingerprint text`,
    );
    await createDirectory(queryRunner);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE idempotency_keys, closings`);
    await queryRunner.query(`ALTER TABLE used_ciphertexts DROP COLUMN idempotency_key, DROP COLUMN fingerprint`);
    await queryRunner.query(`ALTER TABLE associations DROP COLUMN search_text, DROP COLUMN closing_approval_id`);
  }
}

async function createClosings(queryRunner: QueryRunner): Promise<void> {
  // The association's row, which every request reads, has the approval's id. The stored plan in closings is for
  // recovery. It has no foreign key, because a service that migrates with its own role has no REFERENCES privilege any
  // more.
  await queryRunner.query(`ALTER TABLE associations ADD COLUMN closing_approval_id uuid`);
  await queryRunner.query(`
    CREATE TABLE closings (
      approval_id uuid PRIMARY KEY,
      association_id uuid NOT NULL,
      state text NOT NULL CHECK (state IN ('sealing', 'unsealing', 'closed', 'reopened')),
      touched_at timestamptz NOT NULL
    )`);
  const underWay = `WHERE state IN ('sealing', 'unsealing')`;
  await queryRunner.query(`CREATE UNIQUE INDEX closings_one_under_way ON closings (association_id) ${underWay}`);
  await queryRunner.query(`CREATE INDEX closings_untouched ON closings (touched_at) ${underWay}`);
}

async function createDirectory(queryRunner: QueryRunner): Promise<void> {
  // Nodes of the previous release that still run write no search text. Their associations are found by filters only.
  await queryRunner.query(`ALTER TABLE associations ADD COLUMN search_text text NOT NULL DEFAULT ''`);
  // A service that migrates with its own role has revoked its UPDATE privilege, so it is granted again.
  await queryRunner.query(`GRANT UPDATE (search_text) ON associations TO CURRENT_USER`);
  await fillSearchText(queryRunner);
  const listed = `WHERE is_public AND status = 'active'`;
  await queryRunner.query(`CREATE INDEX associations_directory ON associations (created_at DESC, id DESC) ${listed}`);
  // Trigrams find parts of words fast. But only the owner of the database may create the extension, and not every
  // server has it. Without trigrams a search scans the index above, which is slower and gives the same answer.
  await queryRunner.query(`
    DO $$
    BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      CREATE INDEX associations_search ON associations USING gin (search_text gin_trgm_ops) ${listed};
    EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
      RAISE NOTICE 'the directory is searched without trigrams: %', SQLERRM;
    END $$`);
}

async function fillSearchText(queryRunner: QueryRunner): Promise<void> {
  let after: string | null = null;
  for (;;) {
    const rows: Pick<AssociationRow, 'id' | 'name' | 'description'>[] = await queryRunner.manager.query(
      `SELECT id, name, description FROM associations WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2`,
      [after, BACKFILL_ROWS],
    );
    if (rows.length === 0) return;
    await queryRunner.query(
      `UPDATE associations SET search_text = filled.search_text
       FROM unnest($1::uuid[], $2::text[]) AS filled (id, search_text) WHERE associations.id = filled.id`,
      [rows.map((row) => row.id), rows.map((row) => searchText(row.name, row.description))],
    );
    after = rows.at(-1)?.id ?? null;
  }
}
