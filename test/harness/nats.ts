import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findNatsServer } from '../../lib/embedded/nats-binary.ts';
import { freePort } from './free-port.ts';
import { ROOT, startProcess, untilPrinted } from './process.ts';

/** A NATS server for a test file, with a separate configuration. */
export interface TestNats {
  port: number;
  monitoringPort: number;
  /** Stops all answers and keeps the connections open. */
  freeze: () => void;
  thaw: () => void;
  stop: () => Promise<void>;
}

/** Starts a server with JetStream and these lines of configuration. */
export async function startNats(config: string): Promise<TestNats> {
  const dir = await mkdtemp(join(tmpdir(), 'association-nats-'));
  await writeFile(join(dir, 'nats.conf'), `${config}\njetstream { store_dir: ${JSON.stringify(dir)} }\n`);
  return run(dir, 'nats-server', ['--config', join(dir, 'nats.conf')]);
}

/** Starts a cluster of three servers. */
export async function startNatsCluster(): Promise<TestNats[]> {
  const ports = [await freePort(), await freePort(), await freePort()];
  const routes = ports.map((port) => `nats-route://127.0.0.1:${String(port)}`).join(', ');
  const start = (port: number) =>
    startNats(`server_name: n${String(port)}
      cluster { name: test, listen: "127.0.0.1:${String(port)}", routes: [${routes}] }`);
  const started = await Promise.allSettled(ports.map(start));
  const servers = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = started.find((each) => each.status === 'rejected');
  if (failed === undefined) return servers;
  await Promise.all(servers.map((server) => server.stop()));
  throw failed.reason;
}

/** Starts a server by deploy/start-nats.sh with deploy/nats.conf and the password file, as docker-compose.yml does. */
export async function startDeployedNats(passwordFile: string): Promise<TestNats> {
  const dir = await mkdtemp(join(tmpdir(), 'association-nats-'));
  const start = join(ROOT, 'deploy', 'start-nats.sh');
  return run(dir, 'sh', [start, '--store_dir', dir], { NATS_PASSWORD_FILE: passwordFile });
}

async function run(dir: string, command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<TestNats> {
  const binary = await findNatsServer((line) => process.stderr.write(`${line}\n`));
  const PATH = [dirname(binary), process.env['PATH']].join(delimiter);
  const port = await freePort();
  const monitoringPort = await freePort();
  const ports = ['--addr', '127.0.0.1', '--port', String(port), '--http_port', String(monitoringPort)];
  const started = startProcess([...args, ...ports], { program: command, env: { PATH, ...env } });
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
  return { port, monitoringPort, freeze: () => void started.child.kill('SIGSTOP'), thaw, stop };
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
