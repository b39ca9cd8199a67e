import pg from 'pg';

/** One batch is posted at a time; the second replaces a connection that is just being closed. */
const CONNECTIONS_MAX = 2;
const CONNECT_TIMEOUT_MS = 5_000;
/** Bounds how long a batch can hold its locks. */
const STATEMENT_TIMEOUT_MS = 15_000;

/**
 * Statements by key only: the tables are as good as empty when the first plans are made, and a plan that reads a
 * small table from end to end would be kept while the table grows.
 */
const PLANNING = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

/** The connections of a ledger writer. Statements that don't wait for each other share a round trip. */
export function openLedgerPool(url: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    options: PLANNING,
    pipeline: true,
  });
  // A lost connection fails the batch that is on it, or is replaced by the pool. Without listeners, for when the pool
  // has it and for when a batch has it, its loss would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
