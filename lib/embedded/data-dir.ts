/** One of the processes with the same DATA_DIR runs the servers. The others find their URLs in endpoints.json. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseService } from '../config/service-names.ts';
import { StartupError } from '../config/startup-error.ts';
import { isFileLocked, lockFile, type FileLock } from '../files/file-lock.ts';
import type { ServiceDatabase } from '../node/resources.ts';

/** Far longer than another process reads the file to see whether it is locked. */
const WAIT_MS = 500;

/** The URLs, with passwords, of the servers that the process with the lock runs, or has from its settings. */
export interface Endpoints {
  natsUrl: string;
  databases: Partial<Record<DatabaseService, ServiceDatabase>>;
  adminUrl?: string | undefined;
}

const lockOf = (dataDir: string): string => join(dataDir, 'lock');
const endpointsOf = (dataDir: string): string => join(dataDir, 'endpoints.json');

/**
 * Locks DATA_DIR for this process, and creates it if it does not exist.
 * @throws StartupError if another process has locked it, or it cannot be written
 */
export async function lockDataDir(dataDir: string): Promise<FileLock> {
  let lock: FileLock | undefined;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    lock = lockFile(lockOf(dataDir), WAIT_MS);
  } catch (error) {
    const { message } = error as Error;
    throw new StartupError(`Cannot write in ${dataDir} (${message}): set DATA_DIR to a directory you can write to.`);
  }
  if (lock !== undefined) return lock;
  throw new StartupError(
    `Another process already runs the servers under ${dataDir}: stop it first, or set DATA_DIR to another directory.`,
  );
}

/** Whether a process runs servers under DATA_DIR. */
function isLocked(dataDir: string): boolean {
  try {
    return isFileLocked(lockOf(dataDir));
  } catch {
    // The directory or the file does not exist, or it belongs to another user.
    return false;
  }
}

/** Writes DATA_DIR/endpoints.json. Only its owner may read it, as it holds passwords. */
export async function writeEndpoints(dataDir: string, endpoints: Endpoints): Promise<void> {
  const draft = `${endpointsOf(dataDir)}.${String(process.pid)}`;
  await writeFile(draft, JSON.stringify(endpoints, null, 2), { mode: 0o600 });
  await rename(draft, endpointsOf(dataDir));
}

/** Reads DATA_DIR/endpoints.json; returns undefined if no process runs servers there. */
export async function readEndpoints(dataDir: string): Promise<Endpoints | undefined> {
  if (!isLocked(dataDir)) return undefined;
  try {
    return JSON.parse(await readFile(endpointsOf(dataDir), 'utf8')) as Endpoints;
  } catch {
    return undefined;
  }
}

/** Deletes DATA_DIR/endpoints.json. */
export async function deleteEndpoints(dataDir: string): Promise<void> {
  await rm(endpointsOf(dataDir), { force: true });
}
