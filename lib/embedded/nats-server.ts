import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  startServer,
  stopEarlierServer,
  type EmbeddedOptions,
  type EmbeddedServer,
  type ServerProgram,
} from './server-process.ts';

/** The server's only user. */
const USER = 'association';
// The server reads every stream before it is ready: a few GB take about this long on a slow disk.
const START_MAX_MS = 60_000;
// The members of the largest association, or the legs of its settlement, are a few MB in one message. NATS advises against
// more than 8 MB.
const MAX_PAYLOAD_BYTES = 8 * 1_024 * 1_024;

/**
 * Starts an embedded NATS server with JetStream on loopback, with its streams in DATA_DIR/jetstream and its log in
 * DATA_DIR/nats.log.
 * @throws StartupError if it does not start
 */
export async function startNatsServer(
  binary: string,
  { dataDir, password, onCrash }: EmbeddedOptions,
): Promise<EmbeddedServer> {
  const dir = await realpath(dataDir);
  const configFile = join(dir, 'nats.conf');
  const pidFile = join(dir, 'nats.pid');
  await mkdir(join(dir, 'jetstream'), { recursive: true, mode: 0o700 });
  const [, lastPort] = /^listen: .*:(\d+)"$/m.exec(await readFile(configFile, 'utf8').catch(() => '')) ?? [];
  const program: ServerProgram = {
    name: 'nats-server',
    async command(port) {
      // An existing file would keep its mode.
      await rm(configFile, { force: true });
      await writeFile(configFile, configOf(dir, pidFile, port, password), { mode: 0o600 });
      return [binary, ['-c', configFile]];
    },
    env: { PATH: process.env['PATH'], TZ: 'UTC' },
    stopSteps: [
      { signal: 'SIGTERM', wait_ms: 5_000 },
      { signal: 'SIGKILL', wait_ms: 2_000 },
    ],
    pidFile,
    mark: configFile,
    logFile: join(dir, 'nats.log'),
    lastPort: lastPort === undefined ? undefined : Number(lastPort),
    isReady: (_pidFile, port) => isListening(port),
    start_max_ms: START_MAX_MS,
    mayRetry: (log) => log.includes('address already in use'),
    reason: /\[(FTL|ERR)\]/,
    url: (port) => `nats://${USER}:${encodeURIComponent(password)}@127.0.0.1:${String(port)}`,
  };
  await stopEarlierServer(program);
  await rm(pidFile, { force: true });
  return startServer(program, onCrash);
}

/** Builds the configuration. Limits and sync interval stay nats-server's defaults. */
function configOf(dir: string, pidFile: string, port: number, password: string): string {
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

/** Whether a server on this port accepts a connection and sends its first message. */
function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    for (const event of ['error', 'close']) socket.once(event, () => resolve(false));
  });
}
