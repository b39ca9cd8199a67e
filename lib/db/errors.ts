/** Reading PostgreSQL's errors, whether they come from pg or wrapped by TypeORM. */

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
 * PostgreSQL's classes of errors that are in what was sent: data, constraints, exceptions of triggers; and what others
 * were doing: deadlocks, locks that were not to be had in time.
 */
const CONTENT_FAULT = /^(22...|23...|P0...|40P01|55P03)$/;

/**
 * What refuses every write just now: a full disk, limits of resources and input/output errors (PostgreSQL's classes 53 and
 * 58), a server that is read-only. Too many connections (53300) refuse those who have none.
 */
const REFUSED_WRITE = /^(53(?!3)...|58...|25006)$/;

/** PostgreSQL classes 08 (connection) and 57P (shutdown), no free connection, and the socket errors of Node. */
const CONNECTION_FAILURE =
  /^(08...|53300|57P0[1-5]|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH)$/;
/** pg says these in words only. */
const CONNECTION_FAILURE_MESSAGE =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/;

function fieldsOf(error: unknown): { code: unknown; constraint: unknown } {
  const { driverError, code, constraint } = (error ?? {}) as DatabaseError;
  return { code: driverError?.code ?? code, constraint: driverError?.constraint ?? constraint };
}

/** Whether the statement broke this unique constraint or index. */
export function violatesUnique(error: unknown, constraint: string): boolean {
  const fields = fieldsOf(error);
  return fields.code === UNIQUE_VIOLATION && fields.constraint === constraint;
}

/** Whether another was first with a key, or with a lock: looking again settles it. */
export function isRace(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return code === UNIQUE_VIOLATION || code === DEADLOCK;
}

/**
 * Whether what was sent is at fault, or what others were doing just then: nothing was written, and of several things that
 * were sent together each may be tried alone. A RangeError is a value that could not even be sent.
 */
export function isContentFault(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return error instanceof RangeError || (typeof code === 'string' && CONTENT_FAULT.test(code));
}

/** Whether the server could not write a statement just now; the statement may have been too large for it. */
function isRefusedWrite(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return typeof code === 'string' && REFUSED_WRITE.test(code);
}

/** A full disk, an input/output error, a read-only server: no statement of any size can be written. */
const NO_WRITES = /^(53100|58030|25006)$/;

/** Whether no write at all can succeed just now; other refused writes may be about the statement that was too large. */
export function isWithoutWrites(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return typeof code === 'string' && NO_WRITES.test(code);
}

/** Whether a statement went beyond a limit that the server sets for one, such as temp_file_limit. */
export function isLimitOfStatement(error: unknown): boolean {
  return fieldsOf(error).code === STATEMENT_LIMIT;
}

/** Whether the server takes no further connection. Those that there are go on. */
export function isConnectionLimit(error: unknown): boolean {
  return fieldsOf(error).code === CONNECTION_LIMIT;
}

/** Whether the database could not be reached, hung up, or takes no writes just now. */
export function isUnavailable(error: unknown): boolean {
  const { code } = fieldsOf(error);
  if (isRefusedWrite(error) || (typeof code === 'string' && CONNECTION_FAILURE.test(code))) return true;
  return error instanceof Error && CONNECTION_FAILURE_MESSAGE.test(error.message);
}
