import type pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import type { Db, Pool } from './db.ts';
import { poolWith, sqlOn, type Queryable } from './sql-pool.ts';
import { traced } from './traced.ts';

/**
 * Returns the database handle with TypeORM on a pool of the driver.
 * @param pool its connections must pipeline
 * @param dataSource knows the entities; without one, `orm` cannot be used
 */
export function openPool(pool: pg.Pool, dataSource?: DataSource): Pool {
  return poolWith<Db>(pool, (queryable, isTransaction) => {
    let orm: EntityManager | undefined;
    return Object.defineProperty(sqlOn(queryable), 'orm', {
      enumerable: true,
      get: () => (orm ??= ormOn(queryable, dataSource, isTransaction)),
    }) as Db;
  });
}

/** Returns TypeORM's manager for statements on this pool or connection. */
function ormOn(queryable: Queryable, dataSource: DataSource | undefined, isTransactionActive: boolean): EntityManager {
  if (dataSource === undefined) throw new Error('This pool was opened without entities');
  const runner = dataSource.createQueryRunner();
  const target = traced(queryable);
  // TypeORM's runner calls `connect` for each statement to get its connection.
  Object.assign(runner, { connect: () => Promise.resolve(target), isTransactionActive });
  return runner.manager;
}
