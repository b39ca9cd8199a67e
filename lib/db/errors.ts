/** What PostgreSQL's errors mean, whether they come from pg or are wrapped by TypeORM. */

interface DatabaseError {
  code?: unknown;
  constraint?: unknown;
  driverError?: { code?: unknown; constraint?: unknown };
}

const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';
const CONNECTION_LIMIT = '53300';
const STATEMENT_LIMIT = '53400';

/**
 * Errors caused by the statement's values (PostgreSQL's classes for data, constraints and exceptions of triggers) or by
 * other transactions (deadlock, lock timeout).
 */
const CONTENT_FAULT = /^(22...|23...|P0...|40P01|55P03)$/;

/**
 * Errors that affect every write: a full disk, resource limits and I/O errors (PostgreSQL's classes 53 and 58), a read-only
 * server. Too many connections (53300) affect only new connections.
 */
const REFUSED_WRITE = /^(53(?!3)...|58...|25006)$/;

/** PostgreSQL classes 08 (connection) and 57P (shutdown), no free connection, and the socket errors of Node. */
const CONNECTION_FAILURE =
  /^(08...|53300|57P0[1-5]|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH)$/;
/** pg reports these without a code. */
const CONNECTION_FAILURE_MESSAGE =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/;

function fieldsOf(error: unknown): { code: unknown; constraint: unknown } {
  const { driverError, code, constraint } = (error ?? {}) as DatabaseError;
  return { code: driverError?.code ?? code, constraint: driverError?.constraint ?? constraint };
}

/** Whether the statement violated this unique constraint or index. */
export function violatesUnique(error: unknown, constraint: string): boolean {
  const fields = fieldsOf(error);
  return fields.code === UNIQUE_VIOLATION && fields.constraint === constraint;
}

/** Whether another transaction was first with a key or a lock. Reading again shows its result. */
export function isRace(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return code === UNIQUE_VIOLATION || code === DEADLOCK;
}

/**
 * Whether the values or other transactions made the statement fail: nothing was written, and the items of a batch may be
 * tried one by one. A RangeError is a value that could not be sent.
 */
export function isContentFault(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return error instanceof RangeError || (typeof code === 'string' && CONTENT_FAULT.test(code));
}

/** Whether the server cannot execute a write at present; the statement may be too large for it. */
function isRefusedWrite(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return typeof code === 'string' && REFUSED_WRITE.test(code);
}

/** A full disk, an I/O error, a read-only server: no write of any size is possible. */
const NO_WRITES = /^(53100|58030|25006)$/;

/** Whether no write at all is possible at present. */
export function isWithoutWrites(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return typeof code === 'string' && NO_WRITES.test(code);
}

/** Whether a statement exceeded a limit of the server for one statement, such as temp_file_limit. */
export function isLimitOfStatement(error: unknown): boolean {
  return fieldsOf(error).code === STATEMENT_LIMIT;
}

/** Whether the server accepts no more connections. Existing ones still work. */
export function isConnectionLimit(error: unknown): boolean {
  return fieldsOf(error).code === CONNECTION_LIMIT;
}

/** Whether the database cannot be reached, closed the connection, or accepts no writes at present. */
export function isUnavailable(error: unknown): boolean {
  const { code } = fieldsOf(error);
  if (isRefusedWrite(error) || (typeof code === 'string' && CONNECTION_FAILURE.test(code))) return true;
  return error instanceof Error && CONNECTION_FAILURE_MESSAGE.test(error.message);
}
