import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { provision, type DatabaseSpec } from '../../../lib/embedded/provision.ts';
import { withDatabase } from '../../../lib/config/server-urls.ts';
import { INSUFFICIENT_PRIVILEGE, outcomeOf } from '../../harness/refusal.ts';
import { adminUrl, withClient } from '../../harness/servers.ts';

/** Executes the statements in one session, and returns the rows of the last statement. */
const query = (url: string, ...statements: string[]): Promise<unknown[]> =>
  withClient(url, async (client) => {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  });

describe('provisioning', () => {
  const names: string[] = [];
  /** Specifies a database with a unique name, which is dropped after the tests. */
  const wish = (name: string): DatabaseSpec => {
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

  it('gives each service a database that other services cannot open, and a login role that has only granted privileges', async () => {
    const { treasury, governance } = await provision(adminUrl(), { treasury: wish('one'), governance: wish('two') });
    const login = new URL(treasury.url).username;
    await query(
      treasury.migrationUrl,
      `SET ROLE ${treasury.ownerRole}`,
      'CREATE TABLE entries (id int)',
      `GRANT SELECT ON entries TO ${login}`,
    );
    expect(await query(treasury.url, 'SELECT * FROM entries')).to.deep.equal([]);
    for (const statement of ['DELETE FROM entries', 'DROP TABLE entries', 'CREATE TABLE mine (id int)']) {
      expect(await outcomeOf(query(treasury.url, statement)), statement).to.equal(INSUFFICIENT_PRIVILEGE);
    }
    const entered = withDatabase(treasury.url, new URL(governance.url).pathname.slice(1));
    expect(await outcomeOf(query(entered, 'SELECT 1'))).to.equal(INSUFFICIENT_PRIVILEGE);
  });

  it('lets a further service own its database, and make tables in it that no other service reads', async () => {
    const { webhooks, treasury } = await provision(adminUrl(), {
      webhooks: { ...wish('owned'), isOwner: true },
      treasury: wish('not_owned'),
    });
    expect(webhooks.ownerRole).to.equal(new URL(webhooks.url).username);
    await query(webhooks.url, 'CREATE TABLE mine (id int)', 'ALTER TABLE mine ADD COLUMN more int', 'DROP TABLE mine');
    const entered = withDatabase(treasury.url, new URL(webhooks.url).pathname.slice(1));
    expect(await outcomeOf(query(entered, 'SELECT 1'))).to.equal(INSUFFICIENT_PRIVILEGE);
    const own = new URL(webhooks.url);
    expect(
      await query(adminUrl(), `SELECT FROM pg_roles WHERE rolname = '${own.username}' AND NOT rolcreatedb`),
    ).to.have.length(1);
  });

  it('can be repeated, even concurrently, and sets the password each time', async () => {
    const wishes = { treasury: wish('again'), membership: wish('again_too') };
    await Promise.all(Array.from({ length: 5 }, () => provision(adminUrl(), wishes)));
    wishes.treasury.login.password = 'another';
    const { treasury } = await provision(adminUrl(), wishes);
    expect(new URL(treasury.url).password).to.equal('another');
    await query(treasury.url, 'SELECT 1');
  });

  it('works for an administrator who is not a superuser', async () => {
    const { database: admin } = wish('admin');
    await query(adminUrl(), `CREATE ROLE ${admin}_login LOGIN CREATEDB CREATEROLE PASSWORD 'x'`);
    await query(adminUrl(), `GRANT CONNECT ON DATABASE postgres TO ${admin}_login`);
    const url = new URL(adminUrl());
    Object.assign(url, { username: `${admin}_login`, password: 'x' });
    const wishes = { treasury: wish('managed'), webhooks: { ...wish('managed_own'), isOwner: true } };
    // A repeat must not need more privileges than the first run.
    for (let times = 0; times < 2; times += 1) {
      const { treasury, webhooks } = await provision(url.href, wishes);
      await query(webhooks.url, 'CREATE TABLE IF NOT EXISTS t (id int)');
      await query(treasury.migrationUrl, `SET ROLE ${treasury.ownerRole}`, 'CREATE TABLE IF NOT EXISTS t (id int)');
      await query(treasury.url, 'SELECT 1');
    }
    for (const { database } of Object.values(wishes))
      await query(adminUrl(), `DROP DATABASE ${database}`, `DROP ROLE IF EXISTS ${database}_login, ${database}_owner`);
    await query(adminUrl(), `DROP OWNED BY ${admin}_login`);
  });

  it('creates databases that sort by code points and fold case beyond ASCII', async () => {
    const { treasury } = await provision(adminUrl(), { treasury: wish('locale') });
    const [row] = await query(treasury.url, `SELECT 'Z' < 'a' AS by_code_point, lower('ÉTÉ') AS folded`);
    expect(row).to.deep.equal({ by_code_point: true, folded: 'été' });
  });
});
