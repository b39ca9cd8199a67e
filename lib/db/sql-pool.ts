import type pg from 'pg';
import type { Sql, SqlPool, SqlSession, SqlTransaction, Statement } from './sql.ts';
import { traced } from './traced.ts';

const BEGIN = 'BEGIN';
const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY';

/** A pool or a connection of the driver. */
export type Queryable = pg.Pool | pg.PoolClient;

/** Builds the handle on a pool or connection. */
export type HandleOn<H extends Sql> = (queryable: Queryable, isTransaction: boolean) => H;

/** Returns the database handle on a pool of the driver. */
export function openSqlPool(pool: pg.Pool): SqlPool {
  return poolWith(pool, sqlOn);
}

/** Returns a pool whose handles are made by `handleOn`. */
export function poolWith<H extends Sql>(pool: pg.Pool, handleOn: HandleOn<H>): H & SqlPool<H> {
  return Object.assign(handleOn(pool, false), {
    transaction: <T>(work: (tx: H & SqlTransaction) => T | Promise<T>) => inTransaction(pool, handleOn, BEGIN, work),
    snapshot: <T>(work: (db: H) => Promise<T>) => inTransaction(pool, handleOn, BEGIN_SNAPSHOT, work),
    session: async () => sessionOn(await pool.connect(), handleOn),
  });
}

/** Returns the handle for SQL on a pool or connection. */
export function sqlOn(queryable: Queryable): Sql {
  const target = traced(queryable);
  const query = (statement: Statement, values: readonly unknown[] = []) =>
    target.query(
      typeof statement === 'string'
        ? { text: statement, values: values as unknown[] }
        : { name: statement.name, text: statement.text, values: values as unknown[] },
    );
  return {
    rows: async <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
      (await query(statement, values)).rows as Row[],
    first: async <Row extends object>(statement: Statement, values?: readonly unknown[]) =>
      (await query(statement, values)).rows[0] as Row | undefined,
    run: async (statement, values) => (await query(statement, values)).rowCount ?? 0,
  };
}

function sessionOn<H extends Sql>(client: pg.PoolClient, handleOn: HandleOn<H>): SqlSession<H> {
  const stopListening = ignoreLoss(client);
  return Object.assign(handleOn(client, false), {
    end(isBroken = false) {
      stopListening();
      client.release(isBroken);
    },
  });
}

/** Statements on a lost connection fail. Without a listener, its loss would also end the process. */
function ignoreLoss(client: pg.PoolClient): () => void {
  const ignore = (): void => undefined;
  client.on('error', ignore);
  return () => void client.off('error', ignore);
}

async function inTransaction<H extends Sql, T>(
  pool: pg.Pool,
  handleOn: HandleOn<H>,
  begin: string,
  work: (tx: H & SqlTransaction) => T | Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const stopListening = ignoreLoss(client);
  const committed: (() => void)[] = [];
  let isBroken = true;
  try {
    const result = await runTransaction(client, handleOn, begin, committed, work);
    isBroken = false;
    for (const callback of committed) callback();
    return result;
  } catch (error) {
    isBroken = !(await canRollBack(client));
    throw error;
  } finally {
    stopListening();
    // Closing a session in an unknown state rolls back its transaction.
    client.release(isBroken);
  }
}

/** Sends `BEGIN` with the first statement of `work`, and `COMMIT` with the last writes. */
async function runTransaction<H extends Sql, T>(
  client: pg.PoolClient,
  handleOn: HandleOn<H>,
  begin: string,
  committed: (() => void)[],
  work: (tx: H & SqlTransaction) => T | Promise<T>,
): Promise<T> {
  const handle = handleOn(client, true);
  const sent: Promise<unknown>[] = [];
  // Statements after a failed one fail because of it, so that only the first failure is reported.
  let failure: { error: unknown } | undefined;
  const send = (statement: Statement, values?: readonly unknown[]): void => {
    const answer = handle.run(statement, values);
    answer.catch((error: unknown) => (failure ??= { error }));
    sent.push(answer);
  };
  send(begin);
  let result: T;
  try {
    result = await work(
      Object.assign(handle, { send, afterCommit: (callback: () => void) => void committed.push(callback) }),
    );
  } catch (error) {
    throw failure === undefined ? error : failure.error;
  }
  const commit = client.query('COMMIT');
  await Promise.all([...sent, commit]);
  if ((await commit).command !== 'COMMIT')
    throw new Error('The transaction was rolled back by a statement that failed');
  return result;
}

async function canRollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
