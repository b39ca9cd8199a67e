import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StartupError } from '../config/startup-error.ts';
import { freeLoopbackPort } from '../node/ports.ts';
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts';
import { hasEntry, isAlive, runsWithArgument } from './process-identity.ts';
import {
  startServerProcess,
  stopOrphan,
  type EmbeddedServer,
  type ServerProcess,
  type StopStep,
} from './server-process.ts';
import { unprivilegedUser, type Unprivileged } from './unprivileged.ts';

export interface EmbeddedPostgresOptions {
  /** Absolute path of DATA_DIR, which this process has locked. */
  dataDir: string;
  /** The superuser's password, set when the cluster is made. */
  password: string;
  preferredPort?: number | undefined;
  /** Called with one line when the server ends while nobody stopped it. */
  onCrash: (line: string) => void;
}

// All services of a few nodes with pools of 10 to 20 connections each, and some for people who look.
const MAX_CONNECTIONS = 200;
// Recovery after a crash replays at most max_wal_size (1 GB), which takes a slow disk about this long.
const START_TIMEOUT_MS = 120_000;
const POLL_MS = 10;
// init collects a process that has ended at once. Until then children of a killed server may still be leaving.
const COLLECT_TIMEOUT_MS = 2_000;
// Two processes may choose the same free port, and a killed server's last children take a moment to leave.
const MAX_TRIES = 20;
const RETRY_MS = 250;

// Fast shutdown: open transactions are rolled back; then immediate, which needs recovery at the next start.
const STOP_STEPS: readonly [StopStep, ...StopStep[]] = [
  { signal: 'SIGINT', wait_ms: 5_000 },
  { signal: 'SIGQUIT', wait_ms: 2_000 },
  { signal: 'SIGKILL', wait_ms: 2_000 },
];

/**
 * Starts the PostgreSQL whose files are DATA_DIR/postgres, making them at the first start. It listens on loopback
 * only, flushes as PostgreSQL does by default, and logs to DATA_DIR/postgres.log.
 * @throws {StartupError} when it does not come up.
 */
export async function startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedServer> {
  const binaries = await findPostgres();
  const dir = join(await realpath(options.dataDir), 'postgres');
  const user = unprivilegedUser(dir);
  if (!(await exists(join(dir, 'PG_VERSION')))) await initialise(binaries, user, dir, options.password);
  await clearEarlierServer(dir);
  const { server, port } = await startUntilReady(binaries, user, dir, options);
  let stopping = false;
  void server.exited.then((how) => {
    if (!stopping) options.onCrash(`PostgreSQL ended unexpectedly (${how}); see ${logFile(options.dataDir)}`);
  });
  return {
    port,
    url: `postgres://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${String(port)}/postgres`,
    pid: server.pid,
    stop: () => {
      stopping = true;
      return server.stop();
    },
  };
}

/** Makes a cluster beside the place where it belongs and moves it there: a kill half-way leaves no half cluster. */
async function initialise(
  binaries: PostgresBinaries,
  user: Unprivileged,
  dir: string,
  password: string,
): Promise<void> {
  const draft = `${dir}.new`;
  const passwordFile = `${dir}.password`;
  await rm(draft, { recursive: true, force: true });
  await rm(passwordFile, { force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  await chown(draft, user.uid, user.gid);
  await chown(passwordFile, user.uid, user.gid);
  const [command, args] = user.wrap(binaries.initdb, [
    ...['-D', draft, '--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    // The built-in provider sorts and folds case the same way on every machine and after every upgrade of its libraries.
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    // One call for the whole file system instead of one for each of a thousand files.
    ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
  ]);
  try {
    await promisify(execFile)(command, args, { env: serverEnvironment() });
  } catch (error) {
    const output = (error as { stderr?: string }).stderr ?? '';
    throw new StartupError(`PostgreSQL could not make its files in ${dir}: ${lastLine(output) || String(error)}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
  // What is in the way has no PG_VERSION: nothing of a cluster's.
  await rm(dir, { recursive: true, force: true });
  await rename(draft, dir);
}

/**
 * After a kill -9 of our process its server is still there; after a kill -9 of both, its pid file is. PostgreSQL takes
 * any process with the pid in that file for a server that runs, and refuses to start.
 */
async function clearEarlierServer(dir: string): Promise<void> {
  const pid = Number((await readPidFile(dir))[0]);
  if (runsWithArgument(pid, dir)) await stopOrphan(pid, STOP_STEPS);
  const until = performance.now() + COLLECT_TIMEOUT_MS;
  while (hasEntry(pid) && !isAlive(pid) && performance.now() < until) await delay(POLL_MS);
  // Now it is another program's, or the first process of a container, which nobody taught to collect the dead.
  if (hasEntry(pid)) await rm(join(dir, 'postmaster.pid'), { force: true });
}

async function startUntilReady(
  binaries: PostgresBinaries,
  user: Unprivileged,
  dir: string,
  options: EmbeddedPostgresOptions,
): Promise<{ server: ServerProcess; port: number }> {
  const log = logFile(options.dataDir);
  for (let tries = 1; ; tries += 1) {
    const port = await freeLoopbackPort(tries === 1 ? options.preferredPort : undefined);
    const logged_bytes = (await exists(log)) ? (await stat(log)).size : 0;
    const [command, args] = user.wrap(binaries.postgres, ['-D', dir, ...serverSettings(port)]);
    const server = startServerProcess(command, args, { logFile: log, env: serverEnvironment(), stopSteps: STOP_STEPS });
    if (await becameReady(server, dir)) return { server, port };
    await server.stop();
    const said = (await readFile(log)).subarray(logged_bytes).toString();
    const isPassing = /pre-existing shared memory block|could not create any TCP|could not bind/.test(said);
    if (!isPassing || tries === MAX_TRIES) {
      const reason = said.split('\n').findLast((line) => /FATAL|PANIC|error/i.test(line)) ?? lastLine(said);
      throw new StartupError(`PostgreSQL did not start: ${reason.trim() || 'it said nothing'} (see ${log})`);
    }
    await delay(RETRY_MS);
  }
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

/** Nothing of PG* or of the locale: the server must come up the same whoever starts it. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
}

/** Waits for the word "ready" that the server writes into its pid file, as pg_ctl does. */
async function becameReady(server: ServerProcess, dir: string): Promise<boolean> {
  const until = performance.now() + START_TIMEOUT_MS;
  while (!server.hasExited() && performance.now() < until) {
    const lines = await readPidFile(dir);
    if (Number(lines[0]) === server.pid && lines[7]?.trim() === 'ready') return true;
    await delay(POLL_MS);
  }
  return false;
}

async function readPidFile(dir: string): Promise<string[]> {
  return (await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

function logFile(dataDir: string): string {
  return join(dataDir, 'postgres.log');
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
