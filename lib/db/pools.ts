import pg from 'pg';

/** A connection that takes longer than this means that the database is away or overloaded. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Longer than any of our statements takes in normal operation. It limits how long a lock can be held. */
const STATEMENT_TIMEOUT_MS = 15_000;

/** By then the server has ended the statement: without an answer, the connection is dead. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * Makes the server end the session of a host that has vanished, and release its locks, within some 10 s instead of two
 * hours. Ignored on Unix sockets.
 */
export const HALF_OPEN_ENDS =
  '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3 -c tcp_user_timeout=10000';

/** Connection settings of every pool: neither side waits without a limit. */
export const PATIENCE = {
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  query_timeout: ANSWER_TIMEOUT_MS,
  // A process that cannot be reached must not keep its locks until TCP notices.
  idle_in_transaction_session_timeout: ANSWER_TIMEOUT_MS,
  keepAlive: true,
  options: HALF_OPEN_ENDS,
} as const;

/**
 * For statements by key: the first plans are made when tables are almost empty, and a plan with a sequential scan would be
 * kept while the table grows.
 */
export const KEY_PLANNING = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

/**
 * Connections for statements that handle many rows by their keys. Statements that don't wait for each other share a
 * round trip.
 * @param connections_max how many batches may be on their way at once
 * @param Client of the database's Availability
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
    ...PATIENCE,
    ...(lock_timeout_ms === undefined ? {} : { lock_timeout: lock_timeout_ms }),
    Client,
    options: `${PATIENCE.options} ${KEY_PLANNING}`,
    pipeline: true,
  });
  // A batch on a lost connection fails, and the pool replaces an idle one. Without listeners on both the pool and the
  // connection, the loss would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
