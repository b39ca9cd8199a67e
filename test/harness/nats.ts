import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { ALL_SERVICES, OPERATOR, SERVICES, SHARED_LOGIN } from '../../lib/config/service-names.ts';
import { findNatsServer } from '../../lib/embedded/nats-binary.ts';
import { permissionsFile } from '../../lib/transport/nats-permissions.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { ROOT, startProcess, untilPrinted, type Started } from './process.ts';

/** A NATS server for a test file, with a separate configuration. */
export interface TestNats {
  readonly process: Started;
  /** The directory of its files. */
  dir: string;
  port: number;
  monitoringPort: number;
  /** Stops all answers and keeps the connections open. */
  freeze: () => void;
  thaw: () => void;
  kill: () => Promise<unknown>;
  /** Starts the server again on its ports and files, after kill(). Resolves before it has found its cluster. */
  restart: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts a server with JetStream and these lines of configuration. */
export async function startNats(config: string, env?: NodeJS.ProcessEnv): Promise<TestNats> {
  const dir = await mkdtemp(join(tmpdir(), 'association-nats-'));
  await writeConfig(dir, config);
  return run(dir, 'nats-server', ['--config', join(dir, 'nats.conf')], env);
}

function writeConfig(dir: string, config: string): Promise<void> {
  return writeFile(join(dir, 'nats.conf'), `${config}\njetstream { store_dir: ${JSON.stringify(dir)} }\n`);
}

/** The logins of a server that moves from one to another for each service: see docs/deployment.md. */
export type LoginStage = 'shared' | 'both' | 'separate';

const LOGIN_PASSWORD = 'secret';

/** Returns the configuration of a stage. */
function loginStage(stage: LoginStage): string {
  const user = (name: string) => `{ user: ${name}, password: ${LOGIN_PASSWORD} }`;
  const logins = {
    shared: `user: ${SHARED_LOGIN}, password: ${LOGIN_PASSWORD}`,
    both: `users: [${[SHARED_LOGIN, ...SERVICES, OPERATOR].map(user).join(', ')}]`,
    separate: permissionsFile(),
  };
  return `max_payload: 8MB\nauthorization {\n${logins[stage]}\n}`;
}

/** A server whose logins change while it runs. */
export interface MovingNats {
  /** The variables of processes with the shared login, and of those with their own. */
  shared: NodeJS.ProcessEnv;
  separate: NodeJS.ProcessEnv;
  /** Loads the logins of a stage, as an operator does. */
  reach(stage: LoginStage): Promise<void>;
  stop: () => Promise<void>;
}

/** Starts a server with the shared login. */
export async function startMovingNats(): Promise<MovingNats> {
  const passwords: NodeJS.ProcessEnv = {};
  for (const login of [...SERVICES, OPERATOR]) passwords[`NATS_${login.toUpperCase()}_PASSWORD`] = LOGIN_PASSWORD;
  const nats = await startNats(loginStage('shared'), passwords);
  const at = `127.0.0.1:${String(nats.port)}`;
  return {
    shared: { NATS_URL: `nats://${SHARED_LOGIN}:${LOGIN_PASSWORD}@${at}` },
    separate: { NATS_URL: `nats://${at}`, NATS_PASSWORD: LOGIN_PASSWORD },
    async reach(stage) {
      await reloadNats(nats, loginStage(stage));
    },
    stop: nats.stop,
  };
}

/** Lets a server of startNats() load these lines of configuration while it runs. */
export async function reloadNats({ process: server, dir }: TestNats, config: string): Promise<void> {
  const done = () => server.output().match(/Reloaded server configuration/g)?.length ?? 0;
  const before = done();
  await writeConfig(dir, config);
  server.child.kill('SIGHUP');
  await eventually(() => {
    if (done() === before) throw new Error(`NATS did not load its configuration:\n${server.output()}`);
  });
}

/** Returns the servers' addresses in the form of NATS_URL. */
export function urlOf(servers: readonly TestNats[]): string {
  return servers.map(({ port }) => `nats://127.0.0.1:${String(port)}`).join(',');
}

/** Starts a cluster of three servers with these lines of configuration, and those of the cluster's section. */
export async function startNatsCluster(config = '', section = ''): Promise<TestNats[]> {
  const ports = [await freePort(), await freePort(), await freePort()];
  const routes = ports.map((port) => `nats-route://127.0.0.1:${String(port)}`).join(', ');
  const start = (port: number) =>
    startNats(`server_name: n${String(port)}
      cluster { name: test, listen: "127.0.0.1:${String(port)}", routes: [${routes}], ${section} }
${config}`);
  return allOrNone(ports.map(start));
}

/** The logins of deploy/nats/permissions.conf, and that of routes between servers. */
const LOGINS = [...ALL_SERVICES, OPERATOR, 'route'];

/** Writes a password for each login, as `npm run secrets` does. */
export async function writeNatsPasswords(
  dir: string,
  password = 'secret',
  others: readonly string[] = [],
): Promise<void> {
  for (const login of [...LOGINS, ...others]) await writeFile(join(dir, `nats-${login}-password`), `${password}\n`);
}

/**
 * Starts a server by start-nats.sh with the passwords in `secretsDir`, as docker-compose.yml does.
 * @param options `configDir` has the configuration; `argsOf` returns the arguments for a store directory
 */
export async function startDeployedNats(
  secretsDir: string,
  env: NodeJS.ProcessEnv = {},
  options: { configDir?: string | undefined; argsOf?: ((dir: string) => string[]) | undefined } = {},
): Promise<TestNats> {
  const { configDir = join(ROOT, 'deploy', 'nats'), argsOf } = options;
  const dir = await mkdtemp(join(tmpdir(), 'association-nats-'));
  const args = argsOf?.(dir) ?? (env['NATS_PEERS'] === undefined ? [] : ['--name', basename(dir)]);
  return run(dir, 'sh', [join(configDir, 'start-nats.sh'), ...args], {
    NATS_SECRETS_DIR: secretsDir,
    NATS_STORE_DIR: dir,
    ...env,
  });
}

/** Starts three servers as docker-compose.yml does, or with the arguments that `argsOf` returns for a store directory. */
export async function startDeployedCluster(
  secretsDir: string,
  argsOf?: (dir: string, index: number) => string[],
): Promise<TestNats[]> {
  const peers = [await freePort(), await freePort(), await freePort()].map((port) => `127.0.0.1:${String(port)}`);
  return allOrNone(
    peers.map((listen, index) => {
      const env = { NATS_PEERS: peers.join(' '), NATS_CLUSTER_LISTEN: listen };
      return startDeployedNats(secretsDir, env, { argsOf: argsOf && ((dir) => argsOf(dir, index)) });
    }),
  );
}

/** Returns the servers once all have started; if one fails, stops the others. */
async function allOrNone(starts: Promise<TestNats>[]): Promise<TestNats[]> {
  const started = await Promise.allSettled(starts);
  const servers = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = started.find((each) => each.status === 'rejected');
  if (failed === undefined) return servers;
  await Promise.all(servers.map((server) => server.stop()));
  throw failed.reason;
}

async function run(dir: string, command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<TestNats> {
  const binary = await findNatsServer((line) => process.stderr.write(`${line}\n`));
  const PATH = [dirname(binary), process.env['PATH']].join(delimiter);
  const port = await freePort();
  const monitoringPort = await freePort();
  const ports = ['--addr', '127.0.0.1', '--port', String(port), '--http_port', String(monitoringPort)];
  const start = () => startProcess([...args, ...ports], { program: command, env: { PATH, ...env } });
  let started = start();
  const thaw = () => void started.child.kill('SIGCONT');
  const stop = async (): Promise<void> => {
    const ended = started.end();
    thaw();
    await ended;
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await untilPrinted(started, 'Server is ready');
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get process() {
      return started;
    },
    dir,
    port,
    monitoringPort,
    freeze: () => void started.child.kill('SIGSTOP'),
    thaw,
    kill: () => started.end('SIGKILL'),
    async restart() {
      started = start();
      await untilPrinted(started, 'Server is ready');
    },
    stop,
  };
}

/** Whether a server listens on the port. */
export function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.destroy());
  });
}
