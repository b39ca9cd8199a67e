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
  try {
    database.exec('BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if ((error as { errcode: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
