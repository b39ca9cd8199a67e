import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { QueryRunner } from 'typeorm';
import { migrate, type Migration, type MigrationClass } from '../../../lib/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/databases.ts';
import { testIds } from '../../harness/runtime.ts';
import { withClient } from '../../harness/servers.ts';

const newId = testIds();
/** Longer than a migration waits for a lock before it tries again. */
const LOCKED_MS = 600;

class Notes1 implements Migration {
  name = 'Notes1000000000001';
  up = (runner: QueryRunner) => runner.query('CREATE TABLE notes (word text)');
  down = (runner: QueryRunner) => runner.query('DROP TABLE notes');
}

class Column2 implements Migration {
  name = 'Column1000000000002';
  up = (runner: QueryRunner) => runner.query('ALTER TABLE notes ADD COLUMN amount bigint');
  down = (runner: QueryRunner) => runner.query('ALTER TABLE notes DROP COLUMN amount');
}

class Index3 implements Migration {
  name = 'Index1000000000003';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS notes_by_word');
    await runner.query('CREATE INDEX CONCURRENTLY notes_by_word ON notes (word)');
  }

  down = (runner: QueryRunner) => runner.query('DROP INDEX notes_by_word');
}

describe('migrations', function () {
  this.timeout(30_000);
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase(`notes_${newId()}`, (made) => migrate(made, [Notes1]));
  });
  afterEach(() => database.release());

  const done = (migrations: MigrationClass[]) => migrate(database, migrations);
  const names = () =>
    withClient(database.migrationUrl, async (admin) => {
      const { rows } = await admin.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
      return rows.map(({ name }) => name.replace(/\d+$/, ''));
    });

  it('do not delay the statements on a table while its lock is not free, and get it later', async () => {
    await withClient(database.migrationUrl, async (working) => {
      await working.query('BEGIN');
      await working.query('SELECT FROM notes');
      const migrated = done([Notes1, Column2]);
      await sleep(LOCKED_MS / 2);
      // It would wait behind the migration until the transaction above ends.
      await withClient(database.migrationUrl, async (other) => {
        await other.query(`SET lock_timeout = '${String(LOCKED_MS)}ms'`);
        await other.query('SELECT FROM notes');
      });
      await working.query('COMMIT');
      await migrated;
    });
    expect(await names()).to.deep.equal(['Notes', 'Column']);
  });

  it('build an index concurrently once if several processes start together', async () => {
    await Promise.all(Array.from({ length: 4 }, () => done([Notes1, Index3])));
    expect(await names()).to.deep.equal(['Notes', 'Index']);
  });

  it('of a later release stay when an earlier release starts again', async () => {
    await done([Notes1, Column2]);
    await done([Notes1]);
    expect(await names()).to.deep.equal(['Notes', 'Column']);
  });
});
