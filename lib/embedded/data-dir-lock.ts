import { randomBytes } from 'node:crypto';
import { access, constants, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../config/startup-error.ts';
import { identityOf, stillRuns, type ProcessIdentity } from './process-identity.ts';

// Each try meets at most one other process that starts in the same instant.
const MAX_TRIES = 10;
// Far longer than the instant between reading a stale lock and moving it away.
const SETTLE_MS = 50;

export interface DataDirLock {
  release(): Promise<void>;
}

/**
 * Takes DATA_DIR for this process. A lock that a killed process left behind is taken over.
 * @throws {StartupError} that names the process which has it.
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  await requireWritable(dataDir);
  const path = join(dataDir, 'lock.json');
  const own = identityOf(process.pid);
  if (own === undefined)
    throw new StartupError('Cannot tell when this process was started: is /proc mounted, or ps missing?');
  let tookOver = false;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (await place(path, own)) {
      // Two processes that find the same stale lock may both move a file away, the second one the first one's new
      // lock. It puts that back; so whoever still holds the lock a moment later holds it for good.
      if (tookOver) await delay(SETTLE_MS);
      if (isSame(await readHolder(path), own)) return { release: () => release(path, own) };
    }
    const holder = await readHolder(path);
    if (holder !== undefined && stillRuns(holder)) {
      throw new StartupError(
        `Process ${String(holder.pid)} already runs the servers under ${dataDir}: stop it first, or set DATA_DIR to another directory.`,
      );
    }
    await moveAway(path, holder);
    tookOver = true;
  }
  throw new StartupError(`Several processes fight over ${dataDir}: start one of them at a time.`);
}

async function requireWritable(dataDir: string): Promise<void> {
  try {
    await makeDirectory(resolve(dataDir));
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new StartupError(`Cannot write in ${dataDir} (${reason}): set DATA_DIR to a directory of yours.`);
  }
}

/** Makes a directory and those that it is in: `recursive` of Node never ends where a file system takes none (/proc). */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || (await isThere(dirname(path)))) throw error;
    await makeDirectory(dirname(path));
    await makeDirectory(path);
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function release(path: string, own: ProcessIdentity): Promise<void> {
  if (isSame(await readHolder(path), own)) await rm(path, { force: true });
}

/** A link appears whole, and fails where a file is already. */
async function place(path: string, own: ProcessIdentity): Promise<boolean> {
  const draft = `${path}.${uniqueSuffix()}`;
  await writeFile(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Removes the lock unless it has changed since `stale` was read from it. */
async function moveAway(path: string, stale: ProcessIdentity | undefined): Promise<void> {
  const moved = `${path}.${uniqueSuffix()}`;
  try {
    await rename(path, moved);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (!isSame(await readHolder(moved), stale)) await link(moved, path).catch(() => undefined);
  await rm(moved, { force: true });
}

function isSame(one: ProcessIdentity | undefined, other: ProcessIdentity | undefined): boolean {
  return one?.pid === other?.pid && one?.started === other?.started;
}

async function readHolder(path: string): Promise<ProcessIdentity | undefined> {
  try {
    const value = JSON.parse(await readFile(path, 'utf8')) as Partial<ProcessIdentity>;
    return typeof value.pid === 'number' && typeof value.started === 'string' ? (value as ProcessIdentity) : undefined;
  } catch {
    return undefined;
  }
}

function uniqueSuffix(): string {
  return `${String(process.pid)}.${randomBytes(4).toString('hex')}`;
}
