import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

export interface FileLock {
  release(): void;
}

/**
 * Locks `path`, an empty file that is created for the lock and stays. The system releases the lock when the process ends,
 * even if it is killed; so does garbage collection of the result. It is SQLite's lock on a database file, as Node has no
 * flock().
 * @param wait_ms how long to wait for another process that has the lock; this blocks the event loop
 * @returns undefined if another process has the lock
 * @throws if the file cannot be created or written
 */
export function lockFile(path: string, wait_ms = 0): FileLock | undefined {
  const database = new DatabaseSync(path, { timeout: wait_ms });
  if (isFree(database, 'BEGIN EXCLUSIVE')) return { release: () => database.close() };
  database.close();
  return undefined;
}

/**
 * Whether a process has locked `path`. Two processes that ask at once do not disturb each other, as both read.
 * @throws if there is no such file or it cannot be read
 */
export function isFileLocked(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true });
  const isLocked = !isFree(database, 'SELECT 1 FROM sqlite_schema');
  database.close();
  return isLocked;
}

/** Whether the statement got its lock. Closes the database before it throws any other error. */
function isFree(database: DatabaseSync, statement: string): boolean {
  try {
    database.exec(statement);
    return true;
  } catch (error) {
    if ((error as { errcode: number }).errcode === SQLITE_BUSY) return false;
    database.close();
    throw error;
  }
}
