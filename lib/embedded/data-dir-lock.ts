import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../config/startup-error.ts';
import { lockFile, type FileLock } from '../files/file-lock.ts';

// Far longer than another process has it to see whether it is free.
const WAIT_MS = 500;

/**
 * Takes DATA_DIR, which it makes where it is missing, for this process.
 * @throws {StartupError} when another process has it, or it cannot be written.
 */
export async function lockDataDir(dataDir: string): Promise<FileLock> {
  let lock: FileLock | undefined;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    lock = lockFile(lockOf(dataDir), WAIT_MS);
  } catch (error) {
    const { message } = error as Error;
    throw new StartupError(`Cannot write in ${dataDir} (${message}): set DATA_DIR to a directory of yours.`);
  }
  if (lock !== undefined) return lock;
  throw new StartupError(
    `Another process already runs the servers under ${dataDir}: stop it first, or set DATA_DIR to another directory.`,
  );
}

/** Whether a process runs servers under DATA_DIR. */
export function isDataDirLocked(dataDir: string): boolean {
  try {
    const lock = lockFile(lockOf(dataDir));
    lock?.release();
    return lock === undefined;
  } catch {
    // There is no such directory, or it belongs to another user.
    return false;
  }
}

function lockOf(dataDir: string): string {
  return join(dataDir, 'lock');
}
