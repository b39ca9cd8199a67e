import type pg from 'pg';
import type { Connection, Statement, Transaction } from './statements.ts';

/** What `BEGIN` can be said as. */
type Begin = 'BEGIN' | 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY';

/** Statements outside of transactions, each on whatever connection is free. */
export function connectionOf(pool: pg.Pool): Connection {
  return {
    rows: async <Row extends object>(statement: Statement, values: unknown[]) =>
      (await pool.query<Row>({ ...statement, values })).rows,
  };
}

/**
 * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. `BEGIN` travels with its first
 * statements and `COMMIT` with the closing ones.
 * @param pool one whose connections pipeline
 */
export function pipelinedTransaction<T>(pool: pg.Pool, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return begun(pool, 'BEGIN', work);
}

/**
 * Runs `work`, which only reads: all of it as it is at one moment, without keeping anybody waiting.
 * @param pool one whose connections pipeline
 */
export function readAtOneMoment<T>(pool: pg.Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  return begun(pool, 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY', work);
}

async function begun<T>(pool: pg.Pool, begin: Begin, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // Whoever waits for a statement hears of a lost connection; without a listener it would end the process, too.
  const heard = (): void => undefined;
  client.on('error', heard);
  let broken = true;
  try {
    const result = await within(client, begin, work);
    broken = false;
    return result;
  } catch (error) {
    broken = await isBeyondRollback(client);
    throw error;
  } finally {
    client.off('error', heard);
    // A session in an unknown state is ended, which rolls back whatever it held.
    client.release(broken);
  }
}

async function within<T>(client: pg.PoolClient, begin: Begin, work: (of: Transaction) => Promise<T>): Promise<T> {
  const sent: Promise<unknown>[] = [];
  const send = (statement: string | Statement, values?: unknown[]): void => {
    const answer = client.query(statement, values);
    // It is awaited below; where `work` throws before that, its own error is what counts.
    answer.catch(() => undefined);
    sent.push(answer);
  };
  send(begin);
  const result = await work({
    rows: async <Row extends object>(statement: Statement, values: unknown[]) =>
      (await client.query<Row>(statement, values)).rows,
    query: async <Rows>(sql: string, parameters?: unknown[]) => (await client.query(sql, parameters)).rows as Rows,
    closing: {
      write: send,
      query(sql, parameters) {
        send(sql, parameters);
        return Promise.resolve();
      },
    },
  });
  // After a failed statement this COMMIT rolls back, and the statement's own error is what is thrown.
  await Promise.all([...sent, client.query('COMMIT')]);
  return result;
}

/** Rolls back, and says whether that failed: then only ending the session does. */
async function isBeyondRollback(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return false;
  } catch {
    return true;
  }
}
