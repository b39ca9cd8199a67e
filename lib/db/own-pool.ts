import pg from 'pg';
import { POOL_SETTINGS } from './pool-settings.ts';

/**
 * Opens a pool besides TypeORM's, for statements that others must not delay. Statements that don't wait for each other share a
 * round trip.
 * @param Client the class from the database's Availability
 * @param settings settings of the server for these connections
 */
export function openOwnPool(
  url: string,
  connections_max: number,
  Client: typeof pg.Client,
  { options = '', ...settings }: Pick<pg.PoolConfig, 'options' | 'lock_timeout'> = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections_max,
    ...POOL_SETTINGS,
    ...settings,
    Client,
    options: `${POOL_SETTINGS.options} ${options}`,
    pipeline: true,
  });
  // A statement on a lost connection fails, and the pool replaces an idle one. Without listeners on both the pool and the
  // connection, the loss would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
