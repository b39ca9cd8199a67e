import { expect } from 'chai';
import { withDatabase } from '../../../lib/config/server-urls.ts';
import { openDatabase } from '../../../lib/db/database.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { membershipDatabase } from '../../../services/membership/database.ts';
import { listPublic } from '../../../services/membership/associations/association.store.ts';
import { createTestDatabase } from '../../harness/databases.ts';
import { INSUFFICIENT_PRIVILEGE, outcomeOf } from '../../harness/refusal.ts';
import { testIds } from '../../harness/runtime.ts';
import { adminUrl, withClient } from '../../harness/servers.ts';

const FIRST = membershipDatabase.migrations.slice(0, 1);
const newId = testIds();

/** Associations as the first release stored them, more than one statement of the migration fills. */
const OLD_ASSOCIATIONS = `
  INSERT INTO associations (id, name, description, type, status, currency, contribution_amount_minor,
    contribution_frequency, max_members, is_public, member_count, rules, rules_version, created_at)
  SELECT gen_random_uuid(), 'Épargne ' || n, CASE n WHEN 7 THEN 'À Yaoundé' END, 'tontine', 'active', 'XAF', 1,
    'monthly', 2, true, 1, '{}', 1, now()
  FROM generate_series(1, 1234) AS n`;

const searchIndexes = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ indexname: string }>(
      `SELECT indexname FROM pg_indexes WHERE indexname IN ('associations_directory', 'associations_search')
       ORDER BY indexname`,
    );
    return rows.map(({ indexname }) => indexname);
  });

/** Searches the directory with the query of the service. */
async function namesFor(url: string, ...words: string[]): Promise<string[]> {
  const db = await openDatabase({ url }, membershipDatabase);
  try {
    const filter = { words, type: null, currency: null, contribution_frequency: null };
    const found = await listPublic(db, 'reader', filter, null, 5_000);
    return found.map(({ association }) => association.name);
  } finally {
    await db.close();
  }
}

const writeType = (url: string) =>
  withClient(url, (client) => outcomeOf(client.query(`UPDATE associations SET type = 'savings'`)));

describe('membership: migrations', () => {
  it('make existing associations searchable, with trigrams', async () => {
    const database = await createTestDatabase('membership_before', (made) => migrate(made, FIRST));
    try {
      await withClient(database.migrationUrl, (admin) => admin.query(OLD_ASSOCIATIONS));
      await migrate(database, membershipDatabase.migrations);
      expect(await searchIndexes(database.migrationUrl)).to.have.length(2);
      expect(await namesFor(database.url, 'epargne')).to.have.length(1_234);
      expect(await namesFor(database.url, 'epargne', 'yaounde')).to.deep.equal(['Épargne 7']);
      expect(await writeType(database.url)).to.equal(INSUFFICIENT_PRIVILEGE);
    } finally {
      await database.release();
    }
  });

  it('preserve closures in progress', async () => {
    const before = membershipDatabase.migrations.slice(0, 2);
    const database = await createTestDatabase('membership_closing', (made) => migrate(made, before));
    try {
      await withClient(database.migrationUrl, (admin) =>
        admin.query(`INSERT INTO closings (approval_id, association_id, state, touched_at)
          SELECT gen_random_uuid(), gen_random_uuid(), state, now()
          FROM unnest(ARRAY['sealing', 'unsealing', 'closed', 'reopened']) AS state`),
      );
      await migrate(database, membershipDatabase.migrations);
      const { rows } = await withClient(database.url, (client) =>
        client.query('SELECT kind, status, refusal FROM endings ORDER BY status'),
      );
      expect(rows).to.deep.equal([
        { kind: 'closure', status: 'done', refusal: null },
        { kind: 'closure', status: 'locking', refusal: null },
        { kind: 'closure', status: 'refused', refusal: 'association_not_empty' },
        { kind: 'closure', status: 'unlocking', refusal: 'association_not_empty' },
      ]);
    } finally {
      await database.release();
    }
  });

  it('work without trigrams if the service migrates with a role that cannot create them', async () => {
    const name = `plain_${newId().replaceAll('-', '')}`;
    await withClient(adminUrl(), async (admin) => {
      await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'plain'`);
      await admin.query(`CREATE DATABASE ${name}`);
    });
    try {
      const url = new URL(withDatabase(adminUrl(), name));
      await withClient(url.href, (admin) => admin.query(`GRANT CREATE ON SCHEMA public TO ${name}`));
      url.username = name;
      url.password = 'plain';
      await migrate({ url: url.href }, FIRST);
      await withClient(url.href, (client) => client.query(OLD_ASSOCIATIONS));
      await migrate({ url: url.href }, membershipDatabase.migrations);
      expect(await searchIndexes(url.href)).to.deep.equal(['associations_directory']);
      expect(await namesFor(url.href, 'pargne', 'yaounde')).to.deep.equal(['Épargne 7']);
      expect(await writeType(url.href)).to.equal(INSUFFICIENT_PRIVILEGE);
    } finally {
      await withClient(adminUrl(), async (admin) => {
        await admin.query(`DROP DATABASE ${name}`);
        await admin.query(`DROP ROLE ${name}`);
      });
    }
  });
});
