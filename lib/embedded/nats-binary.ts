import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { StartupError } from '../config/startup-error.ts';
import { unpackDebianPackage } from './debian-package.ts';
import { downloadRelease } from './nats-download.ts';

const run = promisify(execFile);

// The first version whose pull consumers have a batch limit and their own inactivity limit.
const MIN_VERSION = [2, 9] as const;
const VERSION_TIMEOUT_MS = 5_000;

const PROJECT_CACHE = join(import.meta.dirname, '..', '..', '.cache', 'nats-server');

/**
 * Finds a nats-server that runs on this machine: on PATH, in the project's cache, or fetched into that cache now, which is
 * logged. Nothing is installed on the system.
 * @throws StartupError if none is found and none can be fetched
 */
export async function findNatsServer(
  log: (line: string) => void,
  cacheDir = PROJECT_CACHE,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  const cached = join(cacheDir, 'nats-server');
  for (const candidate of [...onPath('nats-server'), cached]) {
    if (await isUsable(candidate)) return candidate;
  }
  // macOS blocks the release, which is not notarised, and has no apt.
  if (platform === 'darwin') {
    throw new StartupError('No nats-server 2.9 or later on PATH: run `brew install nats-server`, or set NATS_URL.');
  }
  await mkdir(cacheDir, { recursive: true });
  for (const fetchBinary of [downloadRelease, unpackFrom('forky'), unpackFrom()]) {
    const draft = await mkdtemp(join(cacheDir, 'fetch-'));
    try {
      const binary = await fetchBinary(draft, log).catch(() => undefined);
      if (binary === undefined || !(await isUsable(binary))) continue;
      // Moved in one step, as another process may fetch it at the same time.
      await rename(binary, cached);
      return cached;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  throw new StartupError(
    'No nats-server: none on PATH, and neither the release nor the Debian package could be fetched. Install nats-server 2.9 or later, or set NATS_URL.',
  );
}

/**
 * Debian 14 (forky) has 2.15, which needs libc 2.34. Debian 12 has 2.9, whose replicas in a cluster may differ after a restart
 * (ADR 31).
 */
function unpackFrom(suite?: 'forky') {
  return async (dir: string, log: (line: string) => void): Promise<string> => {
    await unpackDebianPackage('nats-server', dir, log, suite);
    return join(dir, 'usr', 'sbin', 'nats-server');
  };
}

function onPath(program: string): string[] {
  const dirs = (process.env['PATH'] ?? '').split(delimiter).filter((dir) => dir !== '');
  // Debian installs it in /usr/sbin, which is not on an ordinary user's PATH.
  return [...dirs, '/usr/sbin'].map((dir) => join(dir, program));
}

/** Whether the program runs on this machine and is new enough. */
async function isUsable(program: string): Promise<boolean> {
  if ((await stat(program).catch(() => undefined))?.isFile() !== true) return false;
  try {
    const { stdout } = await run(program, ['--version'], { timeout: VERSION_TIMEOUT_MS });
    const [, major, minor] = /v(\d+)\.(\d+)/.exec(stdout) ?? [];
    const [minMajor, minMinor] = MIN_VERSION;
    return Number(major) > minMajor || (Number(major) === minMajor && Number(minor) >= minMinor);
  } catch {
    return false;
  }
}
