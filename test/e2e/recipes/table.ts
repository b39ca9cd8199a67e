import { importing, type Recipe } from './recipe.ts';

/** Adds a table to governance with the members who have joined an association. */
export const TABLE: Recipe = {
  heading: 'Recipe: a table',
  writes: {
    'services/governance/newcomers/newcomer.table.ts': `
import { instant, key, table, uuid } from '../../../lib/db/table.ts';
import type { RowOf } from '../../../lib/db/table.ts';

/** Members who have joined; rejoining changes nothing. */
export const newcomers = table('newcomers', {
  association_id: key(uuid()),
  member_id: key(uuid()),
  joined_at: instant(),
});
export type NewcomerRow = RowOf<typeof newcomers>;
`,
    'services/governance/migrations/0099-newcomers.ts': `
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

export class Newcomers1999000000000 implements MigrationInterface {
  name = 'Newcomers1999000000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(\`
      CREATE TABLE newcomers (
        association_id uuid NOT NULL,
        member_id uuid NOT NULL,
        joined_at timestamptz NOT NULL,
        PRIMARY KEY (association_id, member_id)
      )\`);
    await grantTo(queryRunner, 'newcomers', 'SELECT, INSERT');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE newcomers');
  }
}
`,
    'test/integration/governance/newcomers.test.ts': `
import { expect } from 'chai';
import { governanceDatabase } from '../../../services/governance/database.ts';
import { newcomers } from '../../../services/governance/newcomers/newcomer.table.ts';
import { insertRows } from '../../../lib/db/table.ts';
import { openDatabase, type Database } from '../../../lib/db/database.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/databases.ts';

describe('governance: newcomers', () => {
  const row = {
    association_id: '0192f0c0-0000-7000-8000-000000000001',
    member_id: '0192f0c0-0000-7000-8000-000000000002',
    joined_at: new Date(0),
  };
  let made: TestDatabase;
  let db: Database;

  before(async () => {
    made = await createTestDatabase('governance', (database) => migrate(database, governanceDatabase.migrations));
    db = await openDatabase(made, governanceDatabase);
  });
  after(async () => {
    await db.close();
    await made.release();
  });

  it('are recorded once each and cannot be changed', async () => {
    await insertRows(db, newcomers, [row]);
    expect(await db.orm.find(newcomers)).to.deep.equal([row]);
    const again = await insertRows(db, newcomers, [row]).catch((error: unknown) => error);
    expect(again).to.include({ constraint: 'newcomers_pkey' });
    const change = await db.run('UPDATE newcomers SET joined_at = now()').catch((error: unknown) => error);
    expect(String(change)).to.include('permission denied');
  });
});
`,
  },
  changes: {
    'services/governance/database.ts': [
      importing(`import { Newcomers1999000000000 } from './migrations/0099-newcomers.ts';
import { newcomers } from './newcomers/newcomer.table.ts';`),
      { find: 'tables: [', put: '$&newcomers, ' },
      { find: /(migrations: \[[^\]]*?),?\s*\]/, put: '$1, Newcomers1999000000000]' },
    ],
  },
};
