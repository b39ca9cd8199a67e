import pg from 'pg';
import { HALF_OPEN_ENDS } from '../lib/db/pool-settings.ts';
import '../lib/db/pg-types.ts';

export interface CommandPoolOptions {
  url: string;
  /** The command's name, for the server's list of sessions. */
  name: string;
  max_connections: number;
  /** More settings of the sessions, as `-c name=value`. */
  session?: string;
}

/**
 * Opens a command's connections to a database. Dead connections end, but statements have no time limit: one may read a whole
 * table.
 */
export function openCommandPool({ url, name, max_connections, session = '' }: CommandPoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: max_connections,
    pipeline: true,
    keepAlive: true,
    application_name: name,
    options: `${HALF_OPEN_ENDS} ${session}`,
  });
  // A query on a lost connection fails. Without a listener, the loss of an idle one would end the process.
  pool.on('error', () => undefined);
  return pool;
}
