/** Starts the commands of package.json as a person would, and takes the time until the API is ready. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '../../lib/config/service-names.ts';
import { freePort } from '../../test/harness/free-port.ts';
import { endProcess } from './end-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const START_TIMEOUT_MS = 60_000;
/** What is read off the clock is late by this much at most. */
const POLL_MS = 20;
const MS_PER_S = 1_000;

/** Processes that run under one DATA_DIR and serve the API. */
export interface Started {
  /** From the first process until /health/ready says yes. */
  seconds: number;
  /** By the names of their services; `all` runs everything. */
  pids: Record<string, number>;
  /** Ends them as ops do, and waits. */
  stop(): Promise<void>;
}

/** An empty DATA_DIR for `work`, removed afterwards. Node's compile cache is in it: a first start finds nothing compiled. */
export async function withDataDir<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'association-start-'));
  try {
    return await work(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** `npm start` without npm: everything in one process, which also runs the servers. */
export function startTogether(dataDir: string): Promise<Started> {
  return startAll(dataDir, { all: ['start'] });
}

/** `npm run service` without npm for each of the services; the servers run already. */
export function startApart(dataDir: string): Promise<Started> {
  return startAll(dataDir, Object.fromEntries(SERVICES.map((name) => [name, ['service', name]])));
}

/** `npm run infra` without npm: the servers alone. */
export async function startServers(dataDir: string): Promise<() => Promise<void>> {
  const infra = await spawnScript(dataDir, ['infra'], {});
  for (const end = Date.now() + START_TIMEOUT_MS; !infra.output().includes('ready'); await sleep(POLL_MS)) {
    if (infra.child.exitCode !== null || Date.now() > end) throw new Error(`No servers:\n${infra.output()}`);
  }
  return () => endProcess(infra.child);
}

async function startAll(dataDir: string, commands: Record<string, string[]>): Promise<Started> {
  const port = await freePort();
  const began_ms = performance.now();
  const nodes = await Promise.all(
    Object.entries(commands).map(async ([name, command]) => ({
      name,
      ...(await spawnScript(dataDir, command, { PORT: String(port) })),
    })),
  );
  const stop = async () => void (await Promise.all(nodes.map(({ child }) => endProcess(child))));
  try {
    for (const limit = Date.now() + START_TIMEOUT_MS; !(await isReady(port)); await sleep(POLL_MS)) {
      const failed = nodes.find(({ child }) => child.exitCode !== null);
      if (failed !== undefined || Date.now() > limit) {
        throw new Error(`${failed?.name ?? 'The services'} did not start:\n${nodes.map((n) => n.output()).join('')}`);
      }
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const seconds = (performance.now() - began_ms) / MS_PER_S;
  return { seconds, pids: Object.fromEntries(nodes.map(({ name, child }) => [name, child.pid ?? -1])), stop };
}

/** Runs what package.json gives as a script, with arguments; the script's shell makes way for its node. */
async function spawnScript(
  dataDir: string,
  [script = '', ...args]: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ child: ChildProcess; output: () => string }> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const child = spawn('sh', ['-c', [scripts[script], ...args].join(' ')], {
    cwd: ROOT,
    env: {
      ...process.env,
      PATH: [join(ROOT, 'node_modules', '.bin'), process.env['PATH']].join(delimiter),
      NODE_COMPILE_CACHE: join(dataDir, 'compile-cache'),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output };
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}/health/ready`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}
