import { expect } from 'chai';
import { withDatabase } from '../../../lib/config/server-urls.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { contributionDatabase } from '../../../services/contribution/database.ts';
import { createTestDatabase } from '../../harness/databases.ts';
import { INSUFFICIENT_PRIVILEGE, outcomeOf } from '../../harness/refusal.ts';
import { testIds } from '../../harness/runtime.ts';
import { adminUrl, withClient } from '../../harness/servers.ts';

const { migrations } = contributionDatabase;
const FIRST = migrations.slice(0, 1);
const newId = testIds();

/** Cycles as the first release stored them: one in each state, those that have started with a member of three hands. */
const OLD_CYCLES = `
  INSERT INTO cycles (id, association_id, number, status, rotation_order, member_order, starts_on, frequency, currency,
    contribution_amount_minor, rules, rules_version, hands_total, rounds, created_at, driven_at)
  SELECT gen_random_uuid(), gen_random_uuid(), n, status, rotation_order, member_order, '2026-01-01', 'monthly', 'XAF',
    10000, '{}', 1, n * 4, n * 4, now(), now()
  FROM (VALUES ('starting', 'join', NULL::uuid[], NULL::integer), ('refusing', 'join', NULL, NULL),
    ('refused', 'manual', '{}', NULL), ('running', 'join', NULL, 1), ('completed', 'manual', '{}', 1)
  ) AS old (status, rotation_order, member_order, n);
  INSERT INTO cycle_members (cycle_id, member_id, hands, ordinal)
  SELECT id, gen_random_uuid(), 3, 1 FROM cycles WHERE number IS NOT NULL`;

const CYCLES_NOW = `
  SELECT concat_ws(', ', status, rotation_order, 'rounds ' || rounds, 'seed ' || seed,
    'refused for ' || (refusal ->> 'code'), 'due ' || due_minor) AS cycle
  FROM cycles LEFT JOIN cycle_members ON cycle_id = id ORDER BY status`;

const EXPECTED = [
  'completed, manual, rounds 4, due 30000',
  'refused, manual, refused for cycle_in_progress',
  'refusing, join, refused for cycle_in_progress',
  'running, join, rounds 4, due 30000',
  'starting, join',
].map((cycle) => ({ cycle }));

const query = (url: string, sql: string) => withClient(url, async (client) => (await client.query<object>(sql)).rows);

describe('contribution: migrations', () => {
  it('keep the cycles of the first release, in every state', async () => {
    const database = await createTestDatabase('contribution_before', (made) => migrate(made, FIRST));
    try {
      await query(database.migrationUrl, OLD_CYCLES);
      await migrate(database, migrations);
      expect(await query(database.url, CYCLES_NOW)).to.deep.equal(EXPECTED);
    } finally {
      await database.release();
    }
  });

  it('keep the cycles and restrict privileges even if the service migrates with its own role', async () => {
    const name = `plain_${newId().replaceAll('-', '')}`;
    const url = new URL(withDatabase(adminUrl(), name));
    await query(adminUrl(), `CREATE ROLE ${name} LOGIN PASSWORD 'plain'`);
    await query(adminUrl(), `CREATE DATABASE ${name}`);
    try {
      await query(url.href, `GRANT CREATE ON SCHEMA public TO ${name}`);
      url.username = name;
      url.password = 'plain';
      await migrate({ url: url.href }, FIRST);
      await query(url.href, OLD_CYCLES);
      await migrate({ url: url.href }, migrations);
      expect(await query(url.href, CYCLES_NOW)).to.deep.equal(EXPECTED);
      for (const sql of [
        'DELETE FROM locks',
        'DELETE FROM cycles',
        'UPDATE cycle_hands SET round = 1',
        'UPDATE cycle_members SET due_minor = 1',
      ]) {
        expect(await outcomeOf(query(url.href, sql)), sql).to.equal(INSUFFICIENT_PRIVILEGE);
      }
    } finally {
      await query(adminUrl(), `DROP DATABASE ${name}`);
      await query(adminUrl(), `DROP ROLE ${name}`);
    }
  });

  it('can be reverted while there are no savings cycles and no drawn cycles', async () => {
    const database = await createTestDatabase('contribution_before', (made) => migrate(made, FIRST));
    try {
      await migrate(database, migrations);
      await withClient(database.migrationUrl, async (admin) => {
        // A migration uses only this method of a query runner.
        const runner = { query: async (sql: string) => (await admin.query<object>(sql)).rows };
        for (const Migration of migrations.slice(1).toReversed()) {
          await new Migration().down(runner as unknown as Parameters<InstanceType<typeof Migration>['down']>[0]);
        }
        await admin.query(OLD_CYCLES);
      });
    } finally {
      await database.release();
    }
  });
});
