/** Classifies PostgreSQL's errors, from pg or wrapped by TypeORM. */

interface DatabaseError {
  code?: unknown;
  driverError?: { code?: unknown };
}

const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';
const LOCK_TIMEOUT = '55P03';
const CONNECTION_LIMIT = '53300';
const STATEMENT_LIMIT = '53400';

/** Invalid data, violated constraints, exceptions of triggers, deadlocks and lock timeouts. */
const CONTENT_FAULT = /^(22...|23...|P0...|40P01|55P03)$/;

/** No space, or an I/O error. */
const CANNOT_GROW = /^(53100|58030)$/;

/** A full disk, an I/O error, a read-only server: no write of any size is possible. */
const NO_WRITES = /^(53100|58030|25006)$/;

/**
 * No connection, shutdown, resource limits, I/O errors (PostgreSQL's classes 08, 57P, 53 and 58), the end of a session whose
 * transaction was idle for too long, as when the server was frozen (25P03), Node's socket errors.
 */
const UNAVAILABLE =
  /^(08...|57P0[1-5]|53...|58...|25006|25P03|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH)$/;
/** pg reports these without a code. */
const UNAVAILABLE_MESSAGE =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** Returns the code; empty if there is none. */
function codeOf(error: unknown): string {
  const { driverError, code } = (error ?? {}) as DatabaseError;
  const found = driverError?.code ?? code;
  return typeof found === 'string' ? found : '';
}

/** Whether another transaction took a key or a lock first. Reading again shows its result. */
export function isRace(error: unknown): boolean {
  return [UNIQUE_VIOLATION, DEADLOCK].includes(codeOf(error));
}

/** Whether a lock was not free within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === LOCK_TIMEOUT;
}

/**
 * Whether the statement failed because of its values or of other transactions: nothing was written, and the items of a
 * batch may be tried one by one. A RangeError means that a value could not be sent.
 */
export function isContentFault(error: unknown): boolean {
  return error instanceof RangeError || CONTENT_FAULT.test(codeOf(error));
}

/** Whether the server accepts no writes at present. */
export function refusesWrites(error: unknown): boolean {
  return NO_WRITES.test(codeOf(error));
}

/** Whether a file could not grow. A probe may not see that, unlike a read-only server. */
export function cannotGrow(error: unknown): boolean {
  return CANNOT_GROW.test(codeOf(error));
}

/** Whether a statement exceeded a limit of the server for one statement, such as temp_file_limit. */
export function exceedsStatementLimit(error: unknown): boolean {
  return codeOf(error) === STATEMENT_LIMIT;
}

/** Whether the server accepts no more connections. Existing ones still work. */
export function isConnectionLimit(error: unknown): boolean {
  return codeOf(error) === CONNECTION_LIMIT;
}

/** Whether the database cannot be reached, closed the connection, or accepts no writes at present. */
export function isUnavailable(error: unknown): boolean {
  return UNAVAILABLE.test(codeOf(error)) || (error instanceof Error && UNAVAILABLE_MESSAGE.test(error.message));
}
