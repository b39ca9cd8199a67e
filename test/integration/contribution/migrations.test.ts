import { expect } from 'chai';
import pg from 'pg';
import { withDatabase } from '../../../lib/embedded/provision.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { contributionDatabase } from '../../../services/contribution/database.ts';
import { createTestDatabase } from '../../harness/databases.ts';
import { testIds } from '../../harness/runtime.ts';
import { adminUrl } from '../../harness/servers.ts';

const FIRST = contributionDatabase.migrations.slice(0, 1);
const newId = testIds();

/** Cycles as the release before stored them, one in each state, and a manual one. */
const OLD_CYCLES = `
  INSERT INTO cycles (id, association_id, number, status, rotation_order, member_order, starts_on, frequency, currency,
    contribution_amount_minor, rules, rules_version, hands_total, rounds, created_at, driven_at)
  SELECT gen_random_uuid(), gen_random_uuid(), n, status, rotation_order, member_order, '2026-01-01', 'monthly', 'XAF',
    10000, '{}', 1, n * 4, n * 4, now(), now()
  FROM (VALUES ('starting', 'join', NULL::uuid[], NULL::integer), ('refusing', 'join', NULL, NULL),
    ('refused', 'manual', '{}', NULL), ('running', 'join', NULL, 1), ('completed', 'manual', '{}', 1)
  ) AS old (status, rotation_order, member_order, n)`;

/** A member with three hands in each cycle that has started. */
const OLD_MEMBERS = `
  INSERT INTO cycle_members (cycle_id, member_id, hands, ordinal)
  SELECT id, gen_random_uuid(), 3, 1 FROM cycles WHERE number IS NOT NULL`;

const CYCLES_NOW = `
  SELECT status, rotation_order, rounds, seed, refusal ->> 'code' AS refused_for, due_minor::int AS due
  FROM cycles LEFT JOIN cycle_members ON cycle_id = id ORDER BY status`;

const expected = [
  { status: 'completed', rotation_order: 'manual', rounds: 4, seed: null, refused_for: null, due: 30_000 },
  {
    status: 'refused',
    rotation_order: 'manual',
    rounds: null,
    seed: null,
    refused_for: 'cycle_in_progress',
    due: null,
  },
  { status: 'refusing', rotation_order: 'join', rounds: null, seed: null, refused_for: 'cycle_in_progress', due: null },
  { status: 'running', rotation_order: 'join', rounds: 4, seed: null, refused_for: null, due: 30_000 },
  { status: 'starting', rotation_order: 'join', rounds: null, seed: null, refused_for: null, due: null },
];

async function asUser<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const rowsAs = (url: string, sql: string) => asUser(url, async (client) => (await client.query<object>(sql)).rows);

describe("bringing the contribution service's tables up to date", () => {
  it('keeps the cycles that there are', async () => {
    const database = await createTestDatabase('contribution_before', (made) => migrate(made, FIRST));
    try {
      await rowsAs(database.migrationUrl, `${OLD_CYCLES}; ${OLD_MEMBERS}`);
      await migrate(database, contributionDatabase.migrations);
      expect(await rowsAs(database.url, CYCLES_NOW)).to.deep.equal(expected);
    } finally {
      await database.drop();
    }
  });

  it('keeps them where the service migrates as itself, and leaves it no more rights than elsewhere', async () => {
    const name = `plain_${newId().replaceAll('-', '')}`;
    await asUser(adminUrl(), async (admin) => {
      await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'plain'`);
      await admin.query(`CREATE DATABASE ${name}`);
    });
    try {
      const url = new URL(withDatabase(adminUrl(), name));
      await asUser(url.href, (admin) => admin.query(`GRANT CREATE ON SCHEMA public TO ${name}`));
      [url.username, url.password] = [name, 'plain'];
      await migrate({ url: url.href }, FIRST);
      await rowsAs(url.href, `${OLD_CYCLES}; ${OLD_MEMBERS}`);
      await migrate({ url: url.href }, contributionDatabase.migrations);
      expect(await rowsAs(url.href, CYCLES_NOW)).to.deep.equal(expected);
      for (const sql of [
        'DELETE FROM locks',
        'DELETE FROM cycles',
        'UPDATE cycle_hands SET round = 1',
        'UPDATE cycle_members SET due_minor = 1',
      ]) {
        const refused = await rowsAs(url.href, sql).catch((error: unknown) => (error as Error).message);
        expect(refused, sql).to.match(/permission denied/);
      }
    } finally {
      await asUser(adminUrl(), async (admin) => {
        await admin.query(`DROP DATABASE ${name}`);
        await admin.query(`DROP ROLE ${name}`);
      });
    }
  });

  it('goes back where there are neither savings nor draws', async () => {
    const database = await createTestDatabase('contribution_before', (made) => migrate(made, FIRST));
    try {
      await migrate(database, contributionDatabase.migrations);
      await asUser(database.migrationUrl, async (admin) => {
        const query = async (sql: string) => (await admin.query<object>(sql)).rows;
        // All of a runner that a migration uses.
        const runner = { query } as unknown as Parameters<InstanceType<(typeof FIRST)[0]>['down']>[0];
        for (const Migration of contributionDatabase.migrations.slice(1).toReversed()) {
          await new Migration().down(runner);
        }
        await admin.query(OLD_CYCLES);
      });
    } finally {
      await database.drop();
    }
  });
});
