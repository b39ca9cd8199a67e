import type pg from 'pg';
import { DataSource, type EntitySchema } from 'typeorm';
import { StartupError } from '../config/startup-error.ts';
import { watchDatabase, type Availability } from './availability.ts';
import { SERVICE_TABLES } from './service-tables.ts';
import type { Pool } from './db.ts';
import { migrate, type MigrationClass } from './migrate.ts';
import './pg-types.ts';
import { openPool } from './pool.ts';
import { openOwnPool } from './own-pool.ts';
import { KEY_PLANNING, POOL_SETTINGS } from './pool-settings.ts';
import { measurePool, measureAvailability } from './pool-metrics.ts';
import { PROBE_TIMINGS } from './prober.ts';
import type { ServiceDatabase } from '../node/resources.ts';

/** Enough for the parallel work of one process on two cores. Five services in one process share 200 connections. */
const POOL_MAX_CONNECTIONS = 10;

/** Enough for the reads of one process on two cores: they need a connection only while the server or the network works. */
const READS_MAX_CONNECTIONS = 6;

/**
 * One for each kind of batch in a service, as only one batch of each kind runs at a time. So a kind that reads, such as
 * authorizations, never waits for one that writes.
 */
const BATCH_MAX_CONNECTIONS = 4;

/** A batch waits at most this long for a lock, as all its items wait. Then each item is run separately, and may wait longer. */
const BATCH_LOCK_TIMEOUT_MS = 200;

/** One service's own database. */
export interface Database extends Pool {
  /** Connections for group commits: other statements do not delay them, and they do not wait long for a lock. */
  readonly batches: Pool;
  /**
   * Connections for actions that only read. When a disk hangs, as network volumes do for a second, those that write wait until it
   * has flushed their commits, and reads are still answered.
   */
  readonly reads: Pool;
  readonly availability: Availability;
  /** Opens a pool for batches of one kind; the caller closes it. */
  openBatches(kind: string, connections_max: number): { pool: Pool; close(): Promise<void> };
  close(): Promise<void>;
}

/** The schema of a service's database. */
export interface DatabaseDefinition {
  tables: EntitySchema[];
  migrations: MigrationClass[];
}

/**
 * Migrates a service's database, and connects to it.
 * @throws StartupError with a message of one line if it cannot be reached
 */
export async function openDatabase(
  resource: ServiceDatabase,
  definition: DatabaseDefinition,
  probeTimings = PROBE_TIMINGS,
): Promise<Database> {
  await migrate(resource, definition.migrations);
  const availability = watchDatabase(resource.url, probeTimings);
  const { Client } = availability;
  const dataSource = new DataSource({
    type: 'postgres',
    url: resource.url,
    entities: [...SERVICE_TABLES, ...definition.tables],
    installExtensions: false,
    extra: { max: POOL_MAX_CONNECTIONS, ...POOL_SETTINGS, pipeline: true, Client },
    // The pool replaces a connection that is lost while idle. If that fails, the next query reports it.
    poolErrorHandler: () => undefined,
  });
  try {
    await dataSource.initialize();
  } catch (error) {
    await availability.stop();
    throw new StartupError(`Cannot use the database at ${new URL(resource.url).host}: ${(error as Error).message}`);
  }
  const batches = openOwnPool(resource.url, BATCH_MAX_CONNECTIONS, Client, {
    options: KEY_PLANNING,
    lock_timeout: BATCH_LOCK_TIMEOUT_MS,
  });
  const reads = openOwnPool(resource.url, READS_MAX_CONNECTIONS, Client);
  // The pool of TypeORM's driver, which its types do not show.
  const { master } = dataSource.driver as unknown as { master: pg.Pool };
  const database = new URL(resource.url).pathname.slice(1);
  const unmeasure = [
    measureAvailability(database, availability),
    measurePool(`${database}.main`, master),
    measurePool(`${database}.batches`, batches),
    measurePool(`${database}.reads`, reads),
  ];
  return Object.assign(openPool(master, dataSource), {
    batches: openPool(batches, dataSource),
    reads: openPool(reads, dataSource),
    availability,
    openBatches(kind: string, connections_max: number) {
      const pool = openOwnPool(resource.url, connections_max, Client, { options: KEY_PLANNING });
      unmeasure.push(measurePool(`${database}.${kind}`, pool));
      return { pool: openPool(pool, dataSource), close: () => pool.end() };
    },
    async close() {
      for (const end of unmeasure) end();
      await availability.stop();
      await Promise.all([batches.end(), reads.end()]);
      await dataSource.destroy();
    },
  });
}
