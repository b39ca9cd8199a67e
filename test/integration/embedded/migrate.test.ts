import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { loadDatabase } from '../../../cli/catalogue.ts';
import {
  DATABASE_SERVICES,
  FURTHER_SERVICES,
  TABLE_SERVICES,
  type TableService,
} from '../../../lib/config/service-names.ts';
import { openSqlDatabase } from '../../../lib/db/sql-database.ts';
import { migrate, type MigrationClass } from '../../../lib/db/migrate.ts';
import { provision } from '../../../lib/embedded/provision.ts';
import { withDatabase } from '../../../lib/config/server-urls.ts';
import { startProcess } from '../../harness/process.ts';
import { startRefusalOf } from '../../harness/refusal.ts';
import { adminUrl, withClient } from '../../harness/servers.ts';

const PASSWORD = 'p/w:1';

/** Databases of all services with names of their own, as *_DATABASE_URL names them. */
function newDatabases() {
  const prefix = `m${randomBytes(4).toString('hex')}`;
  const urlOf = (service: string): string => {
    const url = new URL(withDatabase(adminUrl(), `${prefix}_${service}`));
    url.username = `${prefix}_${service}`;
    url.password = encodeURIComponent(PASSWORD);
    return url.href;
  };
  const env = Object.fromEntries(
    DATABASE_SERVICES.map((service) => [`${service.toUpperCase()}_DATABASE_URL`, urlOf(service)]),
  );
  return { prefix, env, urlOf };
}

/** Runs `npm run migrate` with these variables; returns its exit code and its output. */
async function run(env: NodeJS.ProcessEnv, ...services: string[]): Promise<string> {
  const started = startProcess(['cli/migrate.ts', ...services], { env: { PATH: process.env['PATH'], ...env } });
  const code = await started.ended;
  return `${String(code)} ${started.output().trim()}`;
}

const READY = (services: readonly string[]) =>
  `0 ${services.map((service) => `${service}: database ready`).join('\n')}`;

/** Counts the migrations that a service's database records. */
async function recorded(database: string): Promise<number> {
  return withClient(withDatabase(adminUrl(), database), async (client) => {
    const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM migrations');
    return rows[0]?.count ?? 0;
  });
}

describe('npm run migrate', function () {
  this.timeout(120_000);

  it("creates and migrates each service's database, in several processes at once, and again", async () => {
    const { prefix, env } = newDatabases();
    const all = { ...env, POSTGRES_URL: adminUrl() };
    const outcomes = await Promise.all([run(all), run(all), run(all)]);
    expect(outcomes).to.deep.equal(outcomes.map(() => READY(DATABASE_SERVICES)));
    expect(await run(all)).to.equal(READY(DATABASE_SERVICES));
    for (const service of TABLE_SERVICES) {
      const { migrations } = await loadDatabase(service);
      expect(await recorded(`${prefix}_${service}`), service).to.equal(migrations.length);
    }
  });

  it('makes empty databases for the further services, whose own roles migrate them when they start', async () => {
    const { env, urlOf } = newDatabases();
    expect(await run({ ...env, POSTGRES_URL: adminUrl() }, ...FURTHER_SERVICES)).to.equal(READY(FURTHER_SERVICES));
    for (const service of FURTHER_SERVICES) {
      const db = await openSqlDatabase(urlOf(service), [{ name: '0001', statements: ['CREATE TABLE made (id int)'] }]);
      const own = `SELECT tableowner FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`;
      const role = { tableowner: new URL(urlOf(service)).username };
      expect(await db.rows(own), service).to.deep.equal([role, role]);
      await db.close();
    }
    const [webhooks, reminders] = FURTHER_SERVICES.map((service) => new URL(urlOf(service)).pathname.slice(1));
    const entered = openSqlDatabase(withDatabase(urlOf('webhooks'), reminders ?? ''), []);
    expect(await startRefusalOf(entered)).to.match(/permission denied for database/);
    // A repeat, as before each release, changes nothing in it.
    expect(await run({ ...env, POSTGRES_URL: adminUrl() }, 'webhooks')).to.equal(READY(['webhooks']));
    expect(await recorded(webhooks ?? '')).to.equal(1);
  });

  it('migrates only the named services, or those that have a database', async () => {
    const { prefix, env, urlOf } = newDatabases();
    expect(await run({ ...env, POSTGRES_URL: adminUrl() }, 'treasury')).to.equal(READY(['treasury']));
    expect(await run({ TREASURY_DATABASE_URL: urlOf('treasury') })).to.equal(READY(['treasury']));
    expect(await run({ ...env, POSTGRES_URL: adminUrl() }, 'webhooks')).to.equal(READY(['webhooks']));
    const given = { TREASURY_DATABASE_URL: urlOf('treasury'), WEBHOOKS_DATABASE_URL: urlOf('webhooks') };
    expect(await run(given)).to.equal(READY(['treasury', 'webhooks']));
    const databases = await withClient(adminUrl(), (admin) =>
      admin.query('SELECT FROM pg_database WHERE datname LIKE $1', [`${prefix}%`]),
    );
    expect(databases.rowCount).to.equal(2);
  });

  it('says what is missing, in one line', async () => {
    expect(await run({})).to.equal('1 No database to migrate: set POSTGRES_URL, or the *_DATABASE_URL of a service.');
    expect(await run({}, 'gateway')).to.match(/^1 Usage: [^\n]*$/);
  });

  /** Creates a database in which only the administrator may migrate, as in production, with these migrations. */
  async function databaseWith(service: TableService, applied: (all: MigrationClass[]) => MigrationClass[]) {
    const { prefix } = newDatabases();
    const { migrations } = await loadDatabase(service);
    const login = { name: prefix, password: PASSWORD };
    const { made } = await provision(adminUrl(), { made: { database: prefix, login } });
    if (applied(migrations).length > 0) await migrate(made, applied(migrations));
    return { database: prefix, url: made.url, migrations };
  }

  for (const [what, applied] of [
    ['has never been migrated', () => []],
    ['lacks the last migration', (all) => all.slice(0, -1)],
  ] satisfies [string, (all: MigrationClass[]) => MigrationClass[]][]) {
    it(`must run before a service whose role may not migrate, if its database ${what}`, async () => {
      const { database, url, migrations } = await databaseWith('treasury', applied);
      expect(await startRefusalOf(migrate({ url }, migrations))).to.equal(
        `The database ${database} lacks migrations of this release: run npm run migrate first.`,
      );
    });
  }

  it('does not prevent a service of an earlier release from starting', async () => {
    const { url, migrations } = await databaseWith('treasury', (all) => all);
    await migrate({ url }, migrations.slice(0, -1));
  });
});
