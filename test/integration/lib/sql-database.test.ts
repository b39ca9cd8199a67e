import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { withDatabase } from '../../../lib/config/server-urls.ts';
import { openSqlDatabase, type SqlDatabase, type SqlMigration } from '../../../lib/db/sql-database.ts';
import { startRefusalOf } from '../../harness/refusal.ts';
import { adminUrl, withClient } from '../../harness/servers.ts';

const FIRST: SqlMigration = { name: '0001', statements: ['CREATE TABLE a (id int)', 'INSERT INTO a VALUES (1)'] };
const SECOND: SqlMigration = { name: '0002', statements: ['INSERT INTO a VALUES (2)'] };
const BROKEN: SqlMigration = { name: '0003', statements: ['INSERT INTO a VALUES (3)', 'SELECT absent'] };

describe('a database that is used by SQL alone', () => {
  let url: string;
  const opened: SqlDatabase[] = [];
  beforeEach(async () => {
    const name = `sql_${randomUUID().replaceAll('-', '')}`;
    await withClient(adminUrl(), (admin) => admin.query(`CREATE DATABASE ${name}`));
    url = withDatabase(adminUrl(), name);
  });
  afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

  async function open(...migrations: SqlMigration[]): Promise<SqlDatabase> {
    const db = await openSqlDatabase(url, migrations);
    opened.push(db);
    return db;
  }
  const rows = async (db: SqlDatabase) =>
    (await db.rows<{ id: number }>('SELECT id FROM a ORDER BY id')).map(({ id }) => id);

  it('runs each migration once, in order, also if processes start together', async () => {
    const [db] = await Promise.all([open(FIRST, SECOND), open(FIRST, SECOND), open(FIRST)]);
    expect(await rows(db)).to.deep.equal([1, 2]);
    expect(await rows(await open(FIRST, SECOND))).to.deep.equal([1, 2]);
  });

  it('keeps nothing of a start whose migration fails, and says why in one line', async () => {
    const db = await open(FIRST);
    const name = new URL(url).pathname.slice(1);
    expect(await startRefusalOf(openSqlDatabase(url, [FIRST, SECOND, BROKEN]))).to.equal(
      `Cannot prepare the database ${name} at ${new URL(url).host}: column "absent" does not exist`,
    );
    expect(await rows(db)).to.deep.equal([1]);
  });

  it('refuses a migration that has been changed since it was run', async () => {
    await open(FIRST);
    const changed = { ...FIRST, statements: [...FIRST.statements, 'SELECT 1'] };
    expect(await startRefusalOf(openSqlDatabase(url, [changed]))).to.contain(
      `the migration ${FIRST.name} has been changed since it was run: add another one`,
    );
  });

  it('limits the time of statements, but not of migrations', async () => {
    const limit = `current_setting('statement_timeout') AS "limit"`;
    const db = await open({ name: '0001', statements: [`CREATE TABLE limits AS SELECT ${limit}`] });
    expect(await db.first('SELECT * FROM limits')).to.deep.equal({ limit: '0' });
    expect(await db.first(`SELECT ${limit}`)).to.deep.equal({ limit: '15s' });
  });

  it('rolls back a transaction whose work fails, and sends writes with the commit', async () => {
    const db = await open(FIRST);
    const failed = db.transaction(async (tx) => {
      await tx.run('INSERT INTO a VALUES (7)');
      throw new Error('no');
    });
    expect(await failed.catch((error: Error) => error.message)).to.equal('no');
    await db.transaction((tx) => tx.send('INSERT INTO a VALUES (8)'));
    expect(await rows(db)).to.deep.equal([1, 8]);
  });
});
