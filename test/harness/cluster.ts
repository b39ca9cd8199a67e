import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import jwt from 'jsonwebtoken';
import { loadOrCreateSecrets, pinKeysFile } from '../../lib/config/secrets.ts';
import type { DevelopmentSecrets } from '../../lib/config/secrets.ts';
import type { ServiceName } from '../../lib/config/service-names.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { startInfrastructure } from '../../lib/embedded/infrastructure.ts';
import type { Infrastructure } from '../../lib/embedded/infrastructure.ts';
import { createKeyFile } from '../../lib/pin/key-file.ts';
import { freePort } from './free-port.ts';

/** Every service in a process of its own. */
export const APART: ServiceName[][] = [['gateway'], ['membership'], ['contribution'], ['treasury'], ['governance']];

const START_TIMEOUT_MS = 30_000;
const READY_POLL_MS = 50;

const root = join(import.meta.dirname, '..', '..');

export interface TokenClaims {
  name?: string;
  scope?: string;
  /** Seconds since 1970; null for a token without expiry; an hour from now if absent. */
  exp?: number | null;
}

/** The service as ops run it: several processes on one NATS and one PostgreSQL, all of them this cluster's own. */
export interface Cluster {
  origin: string;
  adminUrl: string;
  natsUrl: string;
  dataDir: string;
  token(user: string, claims?: TokenClaims): string;
  /**
   * Starts one more process; `diesAt` is for impatient clusters: see Member.dieAt().
   * @param settings variables of its own, for patient clusters
   */
  start(services: ServiceName[], diesAt?: string, settings?: NodeJS.ProcessEnv): Promise<Member>;
  /** The process that runs this service. */
  running(service: ServiceName): Member;
  /** All processes that were started, in order. */
  members(): readonly Member[];
  /** Waits until the gateway says that everything needed is there. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/** One process of a cluster. */
export interface Member {
  services: ServiceName[];
  pid: number;
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>;
  /** Ends it as ops do, with SIGTERM; gives its exit code. */
  terminate(): Promise<number | null>;
  /** Resolves once the process is gone, by itself or not. */
  gone: Promise<void>;
  hasDied(): boolean;
  /** Names the saga step at which it kills itself when it next comes there (impatient clusters only). */
  dieAt(step: string): void;
  /** What it has printed so far. */
  output(): string;
}

/**
 * Starts the servers and, in processes as `layout` groups them, the services.
 * @param impatient whether they take up what was left half done at once: see impatient-services.ts
 * @param settings variables of the processes' environment beside those that every cluster has
 */
export async function startCluster(
  layout = APART,
  impatient = false,
  settings: NodeJS.ProcessEnv = {},
): Promise<Cluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'association-cluster-'));
  const infrastructure = await startInfrastructure(loadSettings({ DATA_DIR: dataDir }), (line) =>
    process.stderr.write(`${line}\n`),
  );
  const secrets = await loadOrCreateSecrets(dataDir);
  const { jwtSecret } = secrets;
  const port = await freePort();
  const own = { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'warn', RATE_LIMIT: 'off' };
  const given = settings['NODE_ENV'] === 'production' ? await productionSettings(dataDir, secrets, infrastructure) : {};
  const env = { ...process.env, ...own, ...given, ...settings };
  const members: Member[] = [];
  // Loading the code takes most of a start, so that one process has always done so already.
  let spare = impatient ? spawnImpatient(env) : undefined;
  const origin = `http://127.0.0.1:${String(port)}`;

  const cluster: Cluster = {
    origin,
    dataDir,
    adminUrl: infrastructure.adminUrl ?? '',
    natsUrl: infrastructure.natsUrl,
    token(user, { exp, ...claims } = {}) {
      if (exp === null) return jwt.sign(claims, jwtSecret, { subject: user });
      if (exp !== undefined) return jwt.sign({ ...claims, exp }, jwtSecret, { subject: user });
      return jwt.sign(claims, jwtSecret, { subject: user, expiresIn: '1h' });
    },
    async start(services, diesAt, changed = {}) {
      const started = spare ?? spawnPatient(services, { ...env, ...changed });
      if (impatient) {
        spare = spawnImpatient(env);
        if (!started.child.connected) throw new Error(`The spare process has ended:\n${started.output()}`);
        started.child.send({ services, diesAt });
      }
      const member = await memberOf(services, started);
      members.push(member);
      return member;
    },
    running(service) {
      const member = members.findLast((each) => each.services.includes(service));
      if (member === undefined) throw new Error(`${service} does not run here`);
      return member;
    },
    members: () => members,
    ready: () => untilReady(origin),
    async stop() {
      spare?.child.kill();
      await Promise.all(members.map((member) => member.terminate()));
      await infrastructure.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  try {
    await Promise.all(layout.map((services) => cluster.start(services)));
    await cluster.ready();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/** What production must be given: the embedded servers, and the secrets that development makes. */
async function productionSettings(
  dataDir: string,
  { jwtSecret, pinPepper }: DevelopmentSecrets,
  { adminUrl, natsUrl }: Infrastructure,
): Promise<NodeJS.ProcessEnv> {
  const file = pinKeysFile(dataDir);
  await createKeyFile(file, new Date());
  const pins = { PIN_PEPPER: pinPepper, PIN_PRIVATE_KEYS_FILE: file };
  return { JWT_SECRET: jwtSecret, ...pins, POSTGRES_URL: adminUrl, NATS_URL: natsUrl };
}

interface Started {
  child: ChildProcess;
  output: () => string;
}

function spawnPatient(services: ServiceName[], env: NodeJS.ProcessEnv): Started {
  return spawnNode([join(root, 'cli', 'service.ts'), ...services], env, []);
}

/** It waits to be told which services to start. */
function spawnImpatient(env: NodeJS.ProcessEnv): Started {
  return spawnNode([join(root, 'test', 'harness', 'impatient-services.ts')], env, ['ipc']);
}

function spawnNode(command: string[], env: NodeJS.ProcessEnv, channels: 'ipc'[]): Started {
  const child = spawn(process.execPath, command, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe', ...channels] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output };
}

async function memberOf(services: ServiceName[], { child, output }: Started): Promise<Member> {
  const gone = once(child, 'exit').then(() => undefined);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await gone;
    return child.exitCode;
  };
  await untilStarted(child, output);
  return {
    services,
    pid: child.pid ?? -1,
    gone,
    output,
    dieAt: (diesAt) => void child.send({ diesAt }),
    hasDied: () => child.exitCode !== null || child.signalCode !== null,
    kill: async () => void (await end('SIGKILL')),
    terminate: () => end('SIGTERM'),
  };
}

async function untilStarted(child: ChildProcess, output: () => string): Promise<void> {
  for (const end = Date.now() + START_TIMEOUT_MS; !output().includes('service ready'); await sleep(READY_POLL_MS)) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`A service did not start:\n${output()}`);
  }
}

async function untilReady(origin: string): Promise<void> {
  for (const end = Date.now() + START_TIMEOUT_MS; ; await sleep(READY_POLL_MS)) {
    const response = await fetch(`${origin}/health/ready`).catch(() => undefined);
    if (response?.ok === true) return;
    if (Date.now() > end) throw new Error(`Not ready: ${response === undefined ? 'no answer' : await response.text()}`);
  }
}
