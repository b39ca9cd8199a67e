import { expect } from 'chai';
import type pg from 'pg';
import { openBatchPool } from '../../../lib/db/pools.ts';
import { connectionOf, pipelinedTransaction, readAtOneMoment } from '../../../lib/db/pipelined-transaction.ts';
import { createTestDatabase } from '../../harness/databases.ts';
import type { TestDatabase } from '../../harness/databases.ts';

const INSERT = { name: 'test.insert', text: 'INSERT INTO things (id) VALUES ($1)' };
const COUNT = { name: 'test.count', text: 'SELECT count(*)::integer AS count FROM things' };
const WHO = { name: 'test.who', text: 'SELECT pg_backend_pid() AS pid' };

describe('a pipelined transaction', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  before(async () => {
    database = await createTestDatabase('pipelined', () => Promise.resolve());
    // One connection: what a transaction leaves behind would be the next one's.
    pool = openBatchPool(database.migrationUrl, 1);
    await pool.query('CREATE TABLE things (id integer PRIMARY KEY)');
  });
  beforeEach(() => pool.query('DELETE FROM things'));
  after(async () => {
    await pool.end();
    await database.drop();
  });

  const count = async () => (await connectionOf(pool).rows<{ count: number }>(COUNT, []))[0]?.count;
  const session = async () => (await connectionOf(pool).rows<{ pid: number }>(WHO, []))[0]?.pid;
  const failureOf = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error as Error & { code?: string },
    );

  it('gives what its work gives and commits what was not waited for, in the order in which it was sent', async () => {
    const result = await pipelinedTransaction(pool, async (transaction) => {
      const { closing } = transaction;
      closing.write(INSERT, [1]);
      await closing.query('UPDATE things SET id = id + $1', [1]);
      const [seen] = await transaction.rows<{ count: number }>(COUNT, []);
      const ids = await transaction.query<{ id: number }[]>('SELECT id FROM things');
      closing.write(INSERT, [1]);
      return [seen?.count, ids];
    });
    expect(result).to.deep.equal([1, [{ id: 2 }]]);
    expect(await count()).to.equal(2);
  });

  it('fails as a whole with the error of a write that was not waited for, and leaves the session of use', async () => {
    const before = await session();
    const failure = await failureOf(
      pipelinedTransaction(pool, ({ closing }) => {
        for (const id of [1, 2, 1, 3]) closing.write(INSERT, [id]);
        return Promise.resolve();
      }),
    );
    expect(failure?.code).to.equal('23505');
    expect([await count(), await session()]).to.deep.equal([0, before]);
  });

  it('rolls back when its work throws, with the error of the work', async () => {
    const failure = await failureOf(
      pipelinedTransaction(pool, ({ closing }) => {
        closing.write(INSERT, [1]);
        closing.write(INSERT, [1]);
        return Promise.reject(new Error('changed my mind'));
      }),
    );
    expect(failure?.message).to.equal('changed my mind');
    expect(await count()).to.equal(0);
  });

  it('ends a session that was lost, and the next has another one', async () => {
    const before = await session();
    const failure = await failureOf(
      pipelinedTransaction(pool, async (transaction) => {
        await transaction.query('SELECT pg_terminate_backend(pg_backend_pid())');
        await transaction.rows(COUNT, []);
      }),
    );
    expect(failure).to.be.instanceOf(Error);
    expect(await count()).to.equal(0);
    expect(await session()).to.not.equal(before);
  });

  it('may read all as it was at one moment, and write nothing', async () => {
    const failure = await failureOf(readAtOneMoment(pool, (connection) => connection.rows(INSERT, [1])));
    expect(failure?.code).to.equal('25006');
  });
});
