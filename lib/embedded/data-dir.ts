/** Of the processes that have one DATA_DIR, one runs the servers. The others find their URLs in endpoints.json. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableService } from '../config/service-names.ts';
import { StartupError } from '../config/startup-error.ts';
import { lockFile, type FileLock } from '../files/file-lock.ts';
import type { ServiceDatabase } from '../node/resources.ts';

// Far longer than another process has the lock to see whether it is free.
const WAIT_MS = 500;

/** The servers that a process of this machine runs. */
export interface Endpoints {
  natsUrl: string;
  databases: Partial<Record<TableService, ServiceDatabase>>;
  adminUrl?: string | undefined;
}

const lockOf = (dataDir: string): string => join(dataDir, 'lock');
const endpointsOf = (dataDir: string): string => join(dataDir, 'endpoints.json');

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
function isLocked(dataDir: string): boolean {
  try {
    const lock = lockFile(lockOf(dataDir));
    lock?.release();
    return lock === undefined;
  } catch {
    // There is no such directory, or it belongs to another user.
    return false;
  }
}

/** Writes DATA_DIR/endpoints.json. Only its owner may read it: it holds passwords. */
export async function publishEndpoints(dataDir: string, endpoints: Endpoints): Promise<void> {
  const draft = `${endpointsOf(dataDir)}.${String(process.pid)}`;
  await writeFile(draft, JSON.stringify(endpoints, null, 2), { mode: 0o600 });
  await rename(draft, endpointsOf(dataDir));
}

/** Reads DATA_DIR/endpoints.json; undefined when there is none, or only one that a killed process left. */
export async function readEndpoints(dataDir: string): Promise<Endpoints | undefined> {
  if (!isLocked(dataDir)) return undefined;
  try {
    return JSON.parse(await readFile(endpointsOf(dataDir), 'utf8')) as Endpoints;
  } catch {
    return undefined;
  }
}

export async function withdrawEndpoints(dataDir: string): Promise<void> {
  await rm(endpointsOf(dataDir), { force: true });
}
