import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Client } from 'pg';
import { provision, withDatabase, type DatabaseWish } from '../../../lib/embedded/provision.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/databases.ts';
import { adminUrl } from '../../harness/servers.ts';

async function query(url: string, ...statements: string[]): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

async function refused(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(Error);
  return (error as Error).message;
}

describe('provisioning', () => {
  const names: string[] = [];
  const wish = (name: string): DatabaseWish => {
    const database = `p${randomBytes(4).toString('hex')}_${name}`;
    names.push(database);
    return { database, login: { name: `${database}_login`, password: `p/w:${randomBytes(4).toString('hex')}` } };
  };

  after(async () => {
    for (const name of names) {
      await query(adminUrl(), `DROP DATABASE IF EXISTS ${name}`);
      await query(adminUrl(), `DROP ROLE IF EXISTS ${name}_login, ${name}_owner`);
    }
  });

  it('gives each service a database that the others cannot enter', async () => {
    const made = await provision(adminUrl(), { treasury: wish('one'), governance: wish('two') });
    await query(made.treasury.url, 'SELECT 1');
    const { pathname } = new URL(made.governance.url);
    expect(await refused(query(withDatabase(made.treasury.url, pathname.slice(1)), 'SELECT 1'))).to.contain(
      'permission denied for database',
    );
  });

  it('lets the login role use tables as granted, and change none', async () => {
    const { treasury } = await provision(adminUrl(), { treasury: wish('grants') });
    await query(
      treasury.migrationUrl,
      `SET ROLE ${treasury.ownerRole}`,
      'CREATE TABLE entries (id int)',
      `GRANT SELECT ON entries TO ${treasury.ownerRole.replace('_owner', '_login')}`,
    );
    expect(await query(treasury.url, 'SELECT * FROM entries')).to.deep.equal([]);
    expect(await refused(query(treasury.url, 'DELETE FROM entries'))).to.contain('permission denied');
    expect(await refused(query(treasury.url, 'DROP TABLE entries'))).to.contain('must be owner');
    expect(await refused(query(treasury.url, 'CREATE TABLE mine (id int)'))).to.contain('permission denied');
  });

  it('may be repeated, by many at once, and sets the password anew', async () => {
    const wishes = { treasury: wish('again'), membership: wish('again_too') };
    await Promise.all(Array.from({ length: 5 }, () => provision(adminUrl(), wishes)));
    wishes.treasury.login.password = 'another';
    const { treasury } = await provision(adminUrl(), wishes);
    expect(new URL(treasury.url).password).to.equal('another');
    await query(treasury.url, 'SELECT 1');
  });

  it('works for an administrator who is no superuser', async () => {
    const { database: admin } = wish('admin');
    await query(adminUrl(), `CREATE ROLE ${admin}_login LOGIN CREATEDB CREATEROLE PASSWORD 'x'`);
    await query(adminUrl(), `GRANT CONNECT ON DATABASE postgres TO ${admin}_login`);
    const url = new URL(adminUrl());
    Object.assign(url, { username: `${admin}_login`, password: 'x' });
    const wishes = { treasury: wish('managed') };
    // A second time: what is there must not need more rights than what was made.
    for (let times = 0; times < 2; times += 1) {
      const { treasury } = await provision(url.href, wishes);
      await query(treasury.migrationUrl, `SET ROLE ${treasury.ownerRole}`, 'CREATE TABLE IF NOT EXISTS t (id int)');
      await query(treasury.url, 'SELECT 1');
    }
    const { database } = wishes.treasury;
    await query(adminUrl(), `DROP DATABASE ${database}`, `DROP ROLE ${database}_login, ${database}_owner`);
    await query(adminUrl(), `DROP OWNED BY ${admin}_login`);
  });

  it('sorts by code points and folds case beyond ASCII', async () => {
    const { treasury } = await provision(adminUrl(), { treasury: wish('locale') });
    const [row] = await query(treasury.url, `SELECT 'Z' < 'a' AS by_code_point, lower('ÉTÉ') AS folded`);
    expect(row).to.deep.equal({ by_code_point: true, folded: 'été' });
  });
});

describe('databases for test files', () => {
  let migrations = 0;
  const make = (): Promise<TestDatabase> =>
    createTestDatabase('example', async ({ migrationUrl, ownerRole, url }) => {
      migrations += 1;
      const login = new URL(url).username;
      await query(
        migrationUrl,
        `SET ROLE ${ownerRole}`,
        'CREATE TABLE things (id int)',
        `GRANT ALL ON things TO ${login}`,
      );
    });

  it('are clones of one migrated template, each on its own', async () => {
    const [one, two] = [await make(), await make()];
    expect(migrations).to.equal(1);
    await query(one.url, 'INSERT INTO things VALUES (1)');
    expect(await query(two.url, 'SELECT * FROM things')).to.deep.equal([]);
    await query(one.migrationUrl, `SET ROLE ${one.ownerRole}`, 'ALTER TABLE things ADD COLUMN name text');
    await Promise.all([one.drop(), two.drop()]);
  });
});
