import type pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { traced } from './traced.ts';
import type { Db, Pool, Session, Statement, Transaction } from './db.ts';

const BEGIN = 'BEGIN';
const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY';

/**
 * Returns the database handle on a pool of the driver.
 * @param pool its connections must pipeline
 * @param dataSource knows the entities; without one, `orm` cannot be used
 */
export function openPool(pool: pg.Pool, dataSource?: DataSource): Pool {
  return Object.assign(handleOn(pool, dataSource), {
    transaction: <T>(work: (tx: Transaction) => T | Promise<T>) => inTransaction(pool, dataSource, BEGIN, work),
    snapshot: <T>(work: (db: Db) => Promise<T>) => inTransaction(pool, dataSource, BEGIN_SNAPSHOT, work),
    session: async () => sessionOn(await pool.connect(), dataSource),
  });
}

/** A pool or a connection of the driver. */
type Queryable = pg.Pool | pg.PoolClient;

function handleOn(queryable: Queryable, dataSource: DataSource | undefined, isTransaction = false): Db {
  let orm: EntityManager | undefined;
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
    get orm() {
      return (orm ??= ormOn(target, dataSource, isTransaction));
    },
  };
}

/** Returns TypeORM's manager for statements on this pool or connection. */
function ormOn(
  target: Pick<Queryable, 'query'>,
  dataSource: DataSource | undefined,
  isTransactionActive: boolean,
): EntityManager {
  if (dataSource === undefined) throw new Error('This pool was opened without entities');
  const runner = dataSource.createQueryRunner();
  // TypeORM's runner calls `connect` for each statement to get its connection.
  Object.assign(runner, { connect: () => Promise.resolve(target), isTransactionActive });
  return runner.manager;
}

function sessionOn(client: pg.PoolClient, dataSource: DataSource | undefined): Session {
  const stopListening = ignoreLoss(client);
  const handle = handleOn(client, dataSource);
  return Object.assign(handle, {
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

async function inTransaction<T>(
  pool: pg.Pool,
  dataSource: DataSource | undefined,
  begin: string,
  work: (tx: Transaction) => T | Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const stopListening = ignoreLoss(client);
  const committed: (() => void)[] = [];
  let isBroken = true;
  try {
    const result = await runTransaction(client, dataSource, begin, committed, work);
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
async function runTransaction<T>(
  client: pg.PoolClient,
  dataSource: DataSource | undefined,
  begin: string,
  committed: (() => void)[],
  work: (tx: Transaction) => T | Promise<T>,
): Promise<T> {
  const handle = handleOn(client, dataSource, true);
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
