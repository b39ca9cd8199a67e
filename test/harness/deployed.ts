/** Runs the containers of a deployment as processes, without a container engine: PostgreSQL, NATS, and the services' commands. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import jwt from 'jsonwebtoken';
import { startPostgres } from '../../lib/embedded/postgres.ts';
import { HttpClient } from './http.ts';
import { startDeployedCluster, type TestNats } from './nats.ts';
import { ROOT, startProcess, untilPrinted, type Started } from './process.ts';

/** A password that must be escaped in URLs. */
export const AWKWARD_PASSWORD = 'p/@ #:%?$x';

/** A container as the deployment describes it. */
export interface DeployedContainer {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The files in the directory of secrets, by the path at which the container has them. */
  secrets: Readonly<Record<string, string>>;
}

export interface DeployedServers {
  /** The directory that `npm run secrets` has filled. */
  readonly secrets: string;
  readonly nats: readonly TestNats[];
  /** Runs a container's command to its end. @returns its output @throws Error if it fails */
  run(container: DeployedContainer): Promise<string>;
  /** Starts a container, and waits until it prints that it is ready. */
  start(container: DeployedContainer, ready?: string): Promise<Started>;
  /** Returns a client of a started gateway. */
  clientOf(gateway: Started): Promise<HttpClient>;
  /** Ends everything. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL and three NATS servers.
 * @param hosts the addresses in the deployment's URLs: of PostgreSQL, and of each NATS server
 * @param natsArgs further arguments of a NATS server, by its store directory
 */
export async function startDeployedServers(
  hosts: { postgres: string; nats: readonly string[] },
  natsArgs?: (dir: string, index: number) => string[],
): Promise<DeployedServers> {
  const dir = await mkdtemp(join(tmpdir(), 'association-deployed-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (let last = stops.pop(); last !== undefined; last = stops.pop()) await last();
  };
  try {
    const secrets = join(dir, 'secrets');
    await makeSecrets(secrets);
    const password = (await readFile(join(secrets, 'postgres-password'), 'utf8')).trimEnd();
    const postgres = await startPostgres({ dataDir: dir, password, onCrash: (line) => process.stderr.write(line) });
    stops.push(() => postgres.stop());
    const nats = await startDeployedCluster(secrets, natsArgs);
    stops.push(() => Promise.all(nats.map((server) => server.stop())));
    const ports = [
      [hosts.postgres, postgres.port] as const,
      ...nats.map(({ port }, index) => [hosts.nats[index] ?? '', port] as const),
    ];
    const environmentOf = ({ env, secrets: mounted }: DeployedContainer): NodeJS.ProcessEnv => {
      const given = Object.entries(env).map(([name, value]): [string, string] => [name, located(value, mounted)]);
      const image = { NODE_ENV: 'production', DATA_DIR: join(dir, 'data') };
      // No process may take a port that another test needs.
      return { PATH: process.env['PATH'], ...image, ...Object.fromEntries(given), PORT: '0', METRICS_PORT: '0' };
    };
    const located = (value: string, mounted: DeployedContainer['secrets']): string => {
      if (!value.startsWith('/run/secrets/'))
        return ports.reduce((url, [host, port]) => url.replace(host, `127.0.0.1:${String(port)}`), value);
      const file = mounted[value];
      if (file === undefined) throw new Error(`The container has no ${value}`);
      return join(secrets, file);
    };
    return {
      secrets,
      nats,
      stop,
      async run(container) {
        const env = environmentOf(container);
        return (await promisify(execFile)(process.execPath, container.args, { cwd: ROOT, env })).stdout;
      },
      async start(container, ready = 'service ready') {
        const started = startProcess(container.args, { env: environmentOf(container) });
        stops.push(() => started.end());
        await untilPrinted(started, ready);
        return started;
      },
      async clientOf(gateway) {
        const key = (await readFile(join(secrets, 'jwt-secret'), 'utf8')).trimEnd();
        const token = jwt.sign({ name: 'Awa' }, key, { subject: 'awa', expiresIn: '1h' });
        return new HttpClient(/gateway on (http:\/\/127\.0\.0\.1:\d+)/.exec(gateway.output())?.[1] ?? '', token);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs `npm run secrets`, with some passwords that exist before. */
async function makeSecrets(dir: string): Promise<void> {
  await mkdir(dir);
  for (const name of ['nats-route', 'nats-gateway', 'postgres', 'treasury'])
    await writeFile(join(dir, `${name}-password`), `${AWKWARD_PASSWORD}\n`);
  await promisify(execFile)(process.execPath, ['cli/secrets.ts', dir], { cwd: ROOT });
}
