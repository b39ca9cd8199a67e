import pg from 'pg';
import { KEY_PLANNING, POOL_SETTINGS } from './pool-settings.ts';

/**
 * Opens connections for statements that handle many rows by their keys. Statements that don't wait for each other share a
 * round trip.
 * @param connections_max how many batches may run at the same time
 * @param Client the class from the database's Availability
 */
export function openBatchPool(
  url: string,
  connections_max: number,
  Client: typeof pg.Client,
  lock_timeout_ms?: number,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections_max,
    ...POOL_SETTINGS,
    ...(lock_timeout_ms === undefined ? {} : { lock_timeout: lock_timeout_ms }),
    Client,
    options: `${POOL_SETTINGS.options} ${KEY_PLANNING}`,
    pipeline: true,
  });
  // A batch on a lost connection fails, and the pool replaces an idle one. Without listeners on both the pool and the
  // connection, the loss would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
