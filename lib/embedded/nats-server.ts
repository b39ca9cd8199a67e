import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../config/startup-error.ts';
import { freeLoopbackPort } from '../node/ports.ts';
import { runsWithArgument } from './process-identity.ts';
import {
  startServerProcess,
  stopOrphan,
  type EmbeddedServer,
  type ServerProcess,
  type StopStep,
} from './server-process.ts';

export interface EmbeddedNatsOptions {
  /** Path of the nats-server program. */
  binary: string;
  /** Absolute path of DATA_DIR, which this process has locked. */
  dataDir: string;
  /** Of the server's only user, `association`. */
  password: string;
  preferredPort?: number | undefined;
  /** Called with one line when the server ends while nobody stopped it. */
  onCrash: (line: string) => void;
}

const USER = 'association';
// It reads back every stream before it is ready: a few GB take a slow disk about this long.
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 10;
// The members of the largest association, or the legs of its settlement, in one message: a few MB. NATS advises against
// more than 8 MB.
const MAX_PAYLOAD_BYTES = 8 * 1_024 * 1_024;
// Two processes may choose the same free port.
const MAX_TRIES = 3;

const STOP_STEPS: readonly [StopStep, ...StopStep[]] = [
  { signal: 'SIGTERM', wait_ms: 5_000 },
  { signal: 'SIGKILL', wait_ms: 2_000 },
];

/**
 * Starts a NATS server with JetStream of our own, on loopback, with its streams in DATA_DIR/jetstream and its log in
 * DATA_DIR/nats.log.
 * @throws {StartupError} when it does not come up.
 */
export async function startNatsServer(options: EmbeddedNatsOptions): Promise<EmbeddedServer> {
  const dir = await realpath(options.dataDir);
  const configFile = join(dir, 'nats.conf');
  const pidFile = join(dir, 'nats.pid');
  const log = join(dir, 'nats.log');
  await mkdir(join(dir, 'jetstream'), { recursive: true, mode: 0o700 });
  await clearEarlierServer(pidFile, configFile);
  for (let tries = 1; ; tries += 1) {
    const port = await freeLoopbackPort(tries === 1 ? options.preferredPort : undefined);
    await writeConfig(configFile, serverConfig(dir, pidFile, port, options.password));
    // The password is in the file, for arguments are visible to every user of the machine.
    const server = startServerProcess(options.binary, ['-c', configFile], {
      logFile: log,
      env: { PATH: process.env['PATH'], TZ: 'UTC' },
      stopSteps: STOP_STEPS,
    });
    if (await becameReady(server, port, pidFile)) return running(server, port, options, log);
    await server.stop();
    if (tries === MAX_TRIES) throw await notStarted(log);
  }
}

function running(server: ServerProcess, port: number, options: EmbeddedNatsOptions, log: string): EmbeddedServer {
  let stopping = false;
  void server.exited.then((how) => {
    if (!stopping) options.onCrash(`nats-server ended unexpectedly (${how}); see ${log}`);
  });
  return {
    port,
    url: `nats://${USER}:${encodeURIComponent(options.password)}@127.0.0.1:${String(port)}`,
    pid: server.pid,
    stop: () => {
      stopping = true;
      return server.stop();
    },
  };
}

/** Limits, sync interval and payload size stay as nats-server has them. */
function serverConfig(dir: string, pidFile: string, port: number, password: string): string {
  const text = (value: string): string => JSON.stringify(value);
  return [
    `listen: ${text(`127.0.0.1:${String(port)}`)}`,
    `pid_file: ${text(pidFile)}`,
    `max_payload: ${String(MAX_PAYLOAD_BYTES)}`,
    `jetstream { store_dir: ${text(join(dir, 'jetstream'))} }`,
    `authorization { user: ${text(USER)}, password: ${text(password)} }`,
    '',
  ].join('\n');
}

async function writeConfig(path: string, text: string): Promise<void> {
  // A file that is there already would keep its mode.
  await rm(path, { force: true });
  await writeFile(path, text, { mode: 0o600 });
}

/** After a kill -9 of our process its server is still there, and holds the streams. */
async function clearEarlierServer(pidFile: string, configFile: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  if (runsWithArgument(pid, configFile)) await stopOrphan(pid, STOP_STEPS);
  await rm(pidFile, { force: true });
}

/** Ready means: this server, not another that took the port, accepts connections. */
async function becameReady(server: ServerProcess, port: number, pidFile: string): Promise<boolean> {
  const until = performance.now() + START_TIMEOUT_MS;
  while (!server.hasExited() && performance.now() < until) {
    const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
    if (pid === server.pid && (await accepts(port))) return true;
    await delay(POLL_MS);
  }
  return false;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    for (const event of ['error', 'close'] as const) {
      socket.once(event, () => {
        resolve(false);
      });
    }
  });
}

async function notStarted(log: string): Promise<StartupError> {
  const lines = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n');
  const reason = lines.findLast((line) => line.includes('[FTL]') || line.includes('[ERR]')) ?? lines.at(-1);
  return new StartupError(`nats-server did not start: ${reason ?? 'it said nothing'} (see ${log})`);
}
