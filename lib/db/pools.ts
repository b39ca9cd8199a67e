import pg from 'pg';

/** A connection that takes longer than this means that the database is away or overloaded. */
const CONNECT_TIMEOUT_MS = 5_000;

/** No statement of ours runs longer than this, short of trouble; it bounds how long a lock can be held. */
const STATEMENT_TIMEOUT_MS = 15_000;

/** The server would have ended the statement by then: who hears nothing, has a connection that is dead. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * So that the server ends the session of a host that has vanished within some 10 s, with its locks: by default it waits
 * for two hours. Ignored on Unix sockets.
 */
export const HALF_OPEN_ENDS =
  '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3 -c tcp_user_timeout=10000';

/** How pg's connections are made, for whichever pool: no wait without an end, on either side. */
export const PATIENCE = {
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  query_timeout: ANSWER_TIMEOUT_MS,
  // A process that can no longer be reached must not keep its locks until the server's TCP notices.
  idle_in_transaction_session_timeout: ANSWER_TIMEOUT_MS,
  keepAlive: true,
  options: HALF_OPEN_ENDS,
} as const;

/**
 * Statements by key only: the tables are as good as empty when the first plans are made, and a plan that reads a
 * small table from end to end would be kept while the table grows.
 */
export const KEY_PLANNING = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

export interface BatchPoolOptions {
  lock_timeout_ms?: number;
  /** Of the database's Availability. */
  Client?: typeof pg.Client | undefined;
}

/**
 * Connections for statements that handle many rows by their keys. Statements that don't wait for each other share a
 * round trip.
 * @param connections_max how many batches may be on their way at once
 */
export function openBatchPool(
  url: string,
  connections_max: number,
  { lock_timeout_ms, Client }: BatchPoolOptions = {},
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
  // A lost connection fails the batch that is on it, or is replaced by the pool. Without listeners, for when the pool
  // has it and for when a batch has it, its loss would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
