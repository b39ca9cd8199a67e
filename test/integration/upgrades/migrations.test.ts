import { expect } from 'chai';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { TABLE_SERVICES, type TableService } from '../../../lib/config/service-names.ts';
import { grantTo, migrate, type Migration } from '../../../lib/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/databases.ts';
import { hashOf, readCatalogue } from '../../harness/migrations/catalogue.ts';
import { checkMigration } from '../../harness/migrations/check.ts';
import { lastSchemaHash, lastStatements, LAST_RELEASE, migrationsSince, RELEASES } from '../../harness/releases.ts';
import { withClient } from '../../harness/servers.ts';

/** Creates the database of a service as the last release has migrated it. */
async function releasedDatabase(service: TableService): Promise<TestDatabase> {
  const { released } = await migrationsSince(service);
  return createTestDatabase(`${service}_released`, (made) => migrate(made, released));
}

/** Applies migrations in turn. @returns what would break or block the processes of the last release */
async function complaintsOf(
  database: TestDatabase,
  service: TableService,
  migrations: readonly Migration[],
): Promise<string[]> {
  const serviceRole = new URL(database.url).username;
  return withClient(database.migrationUrl, async (admin) => {
    await admin.query(`SELECT set_config('app.service_role', $1, false)`, [serviceRole]);
    const complaints: string[] = [];
    for (const migration of migrations) {
      await admin.query(`SET ROLE "${database.ownerRole}"`);
      const running = { statements: lastStatements(service), releases: RELEASES };
      const found = await checkMigration(admin, serviceRole, migration, running);
      complaints.push(...found.map((each) => `${migration.constructor.name}: ${each}`));
    }
    return complaints;
  });
}

describe('the migrations of the last release', function () {
  this.timeout(30_000);
  for (const service of TABLE_SERVICES) {
    it(`of ${service} still create its schema`, async () => {
      const database = await releasedDatabase(service);
      try {
        const catalogue = await withClient(database.migrationUrl, (admin) =>
          readCatalogue(admin, new URL(database.url).username),
        );
        expect(hashOf(catalogue)).to.equal(lastSchemaHash(service));
      } finally {
        await database.release();
      }
    });
  }
});

describe('the migrations since the last release', function () {
  this.timeout(30_000);
  for (const service of TABLE_SERVICES) {
    it(`of ${service} neither break nor block its processes, which can start again on the new schema`, async () => {
      const database = await releasedDatabase(service);
      try {
        const { released, added } = await migrationsSince(service);
        // Without a change, it shows that the last release's own schema passes.
        const unchanged = { name: 'Unchanged0', up: () => Promise.resolve(), down: () => Promise.resolve() };
        const migrations = [unchanged, ...added.map((each) => new each())];
        expect(await complaintsOf(database, service, migrations)).to.deep.equal([]);
        await migrate(database, released);
      } finally {
        await database.release();
      }
    });
  }
});

interface Example {
  what: string;
  sql: string[];
  /** What each complaint must contain; none for a migration that may pass. */
  refused: RegExp[];
  contracts?: Record<string, string>;
  transaction?: false;
}

const EXPAND = /Add the new form beside it/;
const REQUIRES_TIME = /First let a release|Let a release satisfy it first/;

const EXAMPLES: Example[] = [
  // What an expansion does.
  { what: 'adds a table', sql: ['CREATE TABLE fines (id uuid PRIMARY KEY, n bigint NOT NULL)'], refused: [] },
  {
    what: 'adds columns that may be null or have a default, with a CHECK of their own',
    sql: [
      'ALTER TABLE cycles ADD COLUMN a bigint CHECK (a > 0)',
      `ALTER TABLE cycles ADD COLUMN b text NOT NULL DEFAULT ''`,
    ],
    refused: [],
  },
  {
    what: 'builds an index without blocking writes',
    sql: [
      'DROP INDEX CONCURRENTLY IF EXISTS cycles_by_start',
      'CREATE INDEX CONCURRENTLY cycles_by_start ON cycles (starts_on)',
    ],
    transaction: false,
    refused: [],
  },
  { what: 'drops a CHECK', sql: ['ALTER TABLE meetings DROP CONSTRAINT meetings_status_check'], refused: [] },
  {
    what: 'allows another state',
    sql: [
      'ALTER TABLE meetings DROP CONSTRAINT meetings_status_check',
      `ALTER TABLE meetings ADD CONSTRAINT meetings_status_check
         CHECK (status IN ('open', 'settling', 'settled', 'cancelled', 'postponed')) NOT VALID`,
    ],
    refused: [],
  },
  // What breaks the running release.
  {
    what: 'drops a column',
    sql: ['ALTER TABLE cycles DROP COLUMN seed'],
    refused: [/The column cycles\.seed is gone/, /can no longer execute/],
  },
  {
    what: 'renames a column',
    sql: ['ALTER TABLE cycles RENAME COLUMN seed TO lot'],
    refused: [/The column cycles\.seed is gone, or has another name/, EXPAND, /can no longer execute/],
  },
  {
    what: 'drops a table',
    sql: ['DROP TABLE arrears_allocations'],
    refused: [/The table arrears_allocations is gone/, /can no longer execute/],
  },
  {
    what: 'renames a table',
    sql: ['ALTER TABLE dues RENAME TO owed'],
    refused: [/The table dues is gone, or has another name/, /can no longer execute/],
  },
  {
    what: 'changes the type of a column',
    sql: ['ALTER TABLE meetings ALTER COLUMN round TYPE bigint'],
    refused: [
      /meetings\.round has the type bigint instead of integer/,
      /meetings is rewritten/,
      /reads the whole table/,
      /has prepared "contribution\.lock_meeting", which fails/,
      /has prepared/,
    ],
  },
  {
    what: 'adds a column that must be filled',
    sql: ['ALTER TABLE dues ADD COLUMN place text NOT NULL'],
    refused: [/dues\.place is required, but the running release does not fill it/],
  },
  {
    what: 'requires a column that could be null',
    sql: ['ALTER TABLE meetings ALTER COLUMN title SET NOT NULL'],
    refused: [/meetings\.title must not be null any more/, REQUIRES_TIME],
  },
  {
    what: 'adds a column to a table of which a prepared statement returns all columns',
    sql: ['ALTER TABLE settlements ADD COLUMN note text'],
    refused: [/has prepared "contribution\.refuse_plan", which fails from now on/],
  },
  {
    what: 'drops a default',
    sql: ['ALTER TABLE outbox_lease ALTER COLUMN epoch DROP DEFAULT'],
    refused: [/outbox_lease\.epoch has no default any more/],
  },
  {
    what: 'allows fewer states',
    sql: [
      'ALTER TABLE meetings DROP CONSTRAINT meetings_status_check',
      `ALTER TABLE meetings ADD CONSTRAINT meetings_status_check CHECK (status IN ('open', 'settled')) NOT VALID`,
    ],
    refused: [/The constraint meetings\.meetings_status_check may refuse/],
  },
  {
    what: 'drops a unique constraint',
    sql: ['ALTER TABLE cycle_members DROP CONSTRAINT cycle_members_pkey CASCADE'],
    refused: [/The constraint cycle_members\.cycle_members_pkey is gone/],
  },
  {
    what: 'adds a CHECK of an existing column',
    sql: ['ALTER TABLE cycles ADD CONSTRAINT few CHECK (rounds < 100)'],
    refused: [/The constraint cycles\.few may refuse/, REQUIRES_TIME, /reads the whole table while it blocks it/],
  },
  {
    what: 'adds a foreign key',
    sql: [
      'ALTER TABLE arrears ADD CONSTRAINT of_meeting FOREIGN KEY (association_id) REFERENCES meetings (id) NOT VALID',
    ],
    refused: [/The constraint arrears\.of_meeting may refuse/],
  },
  {
    what: 'adds a unique constraint',
    sql: ['ALTER TABLE meetings ADD CONSTRAINT one_title UNIQUE (association_id, title)'],
    refused: [/The constraint meetings\.one_title may refuse/],
  },
  {
    what: 'adds a unique index',
    sql: ['CREATE UNIQUE INDEX CONCURRENTLY one_title ON meetings (title)'],
    transaction: false,
    refused: [/The unique index meetings\.one_title may refuse/],
  },
  {
    what: 'adds a trigger',
    sql: [
      'CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
      'CREATE TRIGGER refuse BEFORE INSERT ON meetings FOR EACH ROW EXECUTE FUNCTION refuse()',
    ],
    refused: [/meetings\.refuse changes what statements of the running release do/],
  },
  {
    what: 'restricts the rows of a table',
    sql: ['ALTER TABLE meetings ENABLE ROW LEVEL SECURITY'],
    refused: [/meetings\.row security changes what statements/],
  },
  {
    what: 'revokes a privilege',
    sql: [],
    refused: [/loses privileges on meetings: .*INSERT \(title\)/, /can no longer execute .*permission denied/],
  },
  // What blocks the running release.
  {
    what: 'rewrites a table',
    sql: ['ALTER TABLE dues ADD COLUMN token uuid DEFAULT gen_random_uuid()'],
    refused: [/dues is rewritten, which blocks all its statements/],
  },
  {
    what: 'builds an index while it blocks writes',
    sql: ['CREATE INDEX cycles_by_start ON cycles (starts_on)'],
    refused: [/An index on cycles blocks its writes.*CREATE INDEX CONCURRENTLY/],
  },
  {
    what: 'changes the rows of a large table',
    sql: [`UPDATE meetings SET title = '' WHERE title IS NULL`],
    refused: [/Rows of meetings are changed or locked in one transaction.*in batches/],
  },
  { what: 'changes a table with one row', sql: ['UPDATE outbox_lease SET epoch = epoch + 1'], refused: [] },
  // What a contraction does.
  {
    what: 'drops a column that no release since the last one uses',
    sql: ['ALTER TABLE arrears_allocations DROP COLUMN spare'],
    contracts: { 'arrears_allocations.spare': LAST_RELEASE },
    refused: [],
  },
  {
    what: 'drops a column too early',
    sql: ['ALTER TABLE arrears_allocations DROP COLUMN spare'],
    contracts: { 'arrears_allocations.spare': '99.0.0' },
    refused: [
      /contracted since 99\.0\.0, but the running release is .*: wait/,
      /The column arrears_allocations\.spare is gone/,
    ],
  },
  {
    what: 'drops a column that the running release uses after all',
    sql: ['ALTER TABLE cycles DROP COLUMN rotation_order'],
    contracts: { 'cycles.rotation_order': LAST_RELEASE },
    refused: [/can no longer execute .*rotation_order/],
  },
];

/** Revokes one privilege, which needs the name of the service's role. */
class Revoke implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await grantTo(runner, 'meetings', 'SELECT, UPDATE');
  }

  down = (): Promise<void> => Promise.resolve();
}

function migrationOf({ sql, contracts, transaction }: Example): Migration {
  const up = async (runner: QueryRunner) => {
    for (const text of sql) await runner.query(text);
  };
  const down: MigrationInterface['down'] = () => Promise.resolve();
  return {
    up: sql.length === 0 ? (runner) => new Revoke().up(runner) : up,
    down,
    ...(contracts === undefined ? {} : { contracts }),
    ...(transaction === undefined ? {} : { transaction }),
  };
}

describe('a migration', function () {
  this.timeout(30_000);
  for (const example of EXAMPLES) {
    const { what, refused } = example;
    it(`that ${what} is ${refused.length === 0 ? 'accepted' : 'refused'}`, async () => {
      const database = await releasedDatabase('contribution');
      try {
        await withClient(database.migrationUrl, async (admin) => {
          await admin.query('ALTER TABLE arrears_allocations ADD COLUMN spare text');
          await admin.query(`ALTER TABLE arrears_allocations OWNER TO "${database.ownerRole}"`);
        });
        const found = await complaintsOf(database, 'contribution', [migrationOf(example)]);
        const missed = refused.filter((pattern) => !found.some((each) => pattern.test(each)));
        expect(missed, found.join('\n')).to.deep.equal([]);
        expect(found.filter((each) => !refused.some((pattern) => pattern.test(each)))).to.deep.equal([]);
      } finally {
        await database.release();
      }
    });
  }
});
