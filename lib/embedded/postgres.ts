import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StartupError } from '../config/startup-error.ts';
import { exists } from '../files/create-once.ts';
import { findPostgres } from './postgres-binaries.ts';
import { isKnownPid, isAlive } from './processes.ts';
import {
  startServer,
  stopEarlierServer,
  type EmbeddedOptions,
  type EmbeddedServer,
  type ServerProgram,
} from './server-process.ts';
import { unprivilegedUser, type Unprivileged } from './unprivileged.ts';

// Enough for all services of a few nodes with pools of 10 to 20 connections each, and some for operators.
const MAX_CONNECTIONS = 200;
// Recovery after a crash replays at most max_wal_size (1 GB), which takes about this long on a slow disk.
const START_MAX_MS = 120_000;
// How long the children of a killed server may take to end, and init to collect them.
const COLLECT_TIMEOUT_MS = 2_000;
const COLLECT_POLL_MS = 10;

/** Returns the server's environment, without PG* and the locale of this process, so that it starts the same everywhere. */
const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' });

/**
 * Starts the embedded PostgreSQL, whose files are in DATA_DIR/postgres, and creates them at the first start. It listens only
 * on loopback, flushes as PostgreSQL does by default, and logs to DATA_DIR/postgres.log.
 * @throws StartupError if it does not start
 */
export async function startPostgres({ dataDir, password, onCrash }: EmbeddedOptions): Promise<EmbeddedServer> {
  const { initdb, postgres } = await findPostgres();
  const dir = join(await realpath(dataDir), 'postgres');
  const user = unprivilegedUser(dir);
  if (!(await exists(join(dir, 'PG_VERSION')))) await initialise(initdb, user, dir, password);
  const lastCommand = await readFile(join(dir, 'postmaster.opts'), 'utf8').catch(() => '');
  const [, lastPort] = /"port=(\d+)"/.exec(lastCommand) ?? [];
  const program: ServerProgram = {
    name: 'PostgreSQL',
    command: (port) => Promise.resolve(user.wrap(postgres, ['-D', dir, ...serverSettings(port)])),
    env: environment(),
    // First a fast shutdown, which rolls back open transactions; then an immediate one, after which the next start recovers.
    stopSteps: [
      { signal: 'SIGINT', wait_ms: 5_000 },
      { signal: 'SIGQUIT', wait_ms: 2_000 },
      { signal: 'SIGKILL', wait_ms: 2_000 },
    ],
    pidFile: join(dir, 'postmaster.pid'),
    mark: dir,
    logFile: join(dataDir, 'postgres.log'),
    lastPort: lastPort === undefined ? undefined : Number(lastPort),
    // pg_ctl checks the same line.
    isReady: (pidFile) => pidFile[7]?.trim() === 'ready',
    start_max_ms: START_MAX_MS,
    mayRetry: (log) => /pre-existing shared memory block|could not create any TCP|could not bind/.test(log),
    reason: /FATAL|PANIC|error/i,
    url: (port) => `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${String(port)}/postgres`,
  };
  await clearPidFile(program, await stopEarlierServer(program));
  return startServer(program, onCrash);
}

/** Creates the cluster in a draft directory and moves it, so that a killed process leaves no incomplete cluster. */
async function initialise(initdb: string, user: Unprivileged, dir: string, password: string): Promise<void> {
  const draft = `${dir}.new`;
  const passwordFile = `${dir}.password`;
  await rm(draft, { recursive: true, force: true });
  await rm(passwordFile, { force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  await chown(draft, user.uid, user.gid);
  await chown(passwordFile, user.uid, user.gid);
  const [command, args] = user.wrap(initdb, [
    '-D',
    draft,
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    // The built-in provider sorts and folds case the same way on every machine and after every upgrade of its libraries.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // One call for the whole file system instead of one for each of a thousand files.
    ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
  ]);
  try {
    await promisify(execFile)(command, args, { env: environment() });
  } catch (error) {
    const output = (error as { stderr?: string }).stderr ?? '';
    const reason = output.trim().split('\n').at(-1) || String(error);
    throw new StartupError(`PostgreSQL could not create its files in ${dir}: ${reason}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
  // An existing directory has no PG_VERSION, so it is not a cluster.
  await rm(dir, { recursive: true, force: true });
  await rename(draft, dir);
}

/**
 * Removes a pid file with which PostgreSQL would refuse to start: it takes any process with that pid for a running server.
 */
async function clearPidFile({ pidFile }: ServerProgram, pid: number): Promise<void> {
  const end_ms = performance.now() + COLLECT_TIMEOUT_MS;
  while (isKnownPid(pid) && !isAlive(pid) && performance.now() < end_ms) await delay(COLLECT_POLL_MS);
  // Now the pid is another program's, or the container's first process does not collect processes that have ended.
  if (isKnownPid(pid)) await rm(pidFile, { force: true });
}

function serverSettings(port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    // Loopback is enough, and a socket's path may be too long below DATA_DIR.
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${String(value)}`]);
}
