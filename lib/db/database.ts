import type pg from 'pg';
import { DataSource } from 'typeorm';
import type { EntityManager, EntitySchema } from 'typeorm';
import { StartupError } from '../config/startup-error.ts';
import { watchDatabase } from './availability.ts';
import type { Availability } from './availability.ts';
import { openBatchPool, PATIENCE } from './pools.ts';
import { migrate } from './migrate.ts';
import './pg-types.ts';
import type { MigrationClass } from './migrate.ts';
import type { ServiceDatabase } from '../runtime/resources.ts';

/** Enough for the parallel work of one process on two cores; five services of one process share 200 connections. */
const POOL_MAX_CONNECTIONS = 16;

/** One for each kind of batch that a service gathers: each sends one at a time. */
const BATCH_CONNECTIONS_MAX = 4;

/** So long a batch waits for a lock: all that is in it waits, too. Then each goes alone, and may wait longer. */
const BATCH_LOCK_TIMEOUT_MS = 200;

/** One service's own database. */
export interface Database {
  readonly dataSource: DataSource;
  /** The driver's pool, for prepared statements and for transactions that pipeline them. */
  readonly pool: pg.Pool;
  /** For gathered statements on hot paths: they wait behind no others for a connection, and for no lock for long. */
  readonly batches: pg.Pool;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T>;
  /** The manager outside of transactions, for reads. */
  readonly manager: EntityManager;
  readonly availability: Availability;
  close(): Promise<void>;
}

export interface DatabaseDefinition {
  entities: EntitySchema[];
  migrations: MigrationClass[];
}

/**
 * Connects to a service's database, bringing its tables up to date first.
 * @throws StartupError in one line if it cannot be reached
 */
export async function openDatabase(resource: ServiceDatabase, definition: DatabaseDefinition): Promise<Database> {
  await migrate(resource, definition.migrations);
  const availability = watchDatabase(resource.url);
  const { Client } = availability;
  const dataSource = new DataSource({
    type: 'postgres',
    url: resource.url,
    entities: definition.entities,
    installExtensions: false,
    extra: { max: POOL_MAX_CONNECTIONS, ...PATIENCE, pipeline: true, Client },
    // A connection lost while idle is replaced by the pool; the next query reports if that fails.
    poolErrorHandler: () => undefined,
  });
  try {
    await dataSource.initialize();
  } catch (error) {
    await availability.stop();
    throw new StartupError(`Cannot use the database at ${new URL(resource.url).host}: ${(error as Error).message}`);
  }
  const batches = openBatchPool(resource.url, BATCH_CONNECTIONS_MAX, {
    lock_timeout_ms: BATCH_LOCK_TIMEOUT_MS,
    Client,
  });
  return {
    dataSource,
    batches,
    availability,
    // TypeORM has the pool of its driver, but its types do not tell of it.
    pool: (dataSource.driver as unknown as { master: pg.Pool }).master,
    manager: dataSource.manager,
    transaction: (work) => dataSource.transaction(work),
    close: async () => {
      await availability.stop();
      await batches.end();
      await dataSource.destroy();
    },
  };
}
