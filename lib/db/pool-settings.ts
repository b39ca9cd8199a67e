import { socketToHost } from './host-addresses.ts';

/** Longer than any database takes to accept a connection, unless it is unavailable or overloaded. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Longer than any of the statements takes in normal operation. It limits how long a lock can be held. */
const STATEMENT_TIMEOUT_MS = 15_000;

/** By then the server has ended the statement: without an answer, the connection is dead. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/**
 * A process that is frozen in a transaction must not keep its locks, as another process takes over its associations within
 * 5 s. A transaction sends its statements within milliseconds.
 */
const IDLE_IN_TRANSACTION_MS = 3_000;

/**
 * Makes the server end the session of a host that has vanished, and release its locks, within about 10 s instead of two
 * hours. Ignored on Unix sockets.
 */
export const HALF_OPEN_ENDS =
  '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3 -c tcp_user_timeout=10000';

/** Connection settings of every pool: neither side waits without a limit. */
export const POOL_SETTINGS = {
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  query_timeout: ANSWER_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  keepAlive: true,
  stream: socketToHost,
  options: HALF_OPEN_ENDS,
} as const;

/**
 * For statements by key: the first plans are made when tables are almost empty, and a plan with a sequential scan would be
 * kept while the table grows. Plans are generic: PostgreSQL would plan some statements with arrays each time, as it expects ten
 * elements in a generic plan, which took 0.8 ms of a contribution.
 */
export const KEY_PLANNING =
  '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off -c plan_cache_mode=force_generic_plan';
