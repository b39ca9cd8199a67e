import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { loadSettings } from '../../lib/config/settings.ts';
import { StartupError } from '../../lib/config/startup-error.ts';
import { Person } from './person.ts';

/** The first start fetches or unpacks server binaries; later ones take seconds. */
const READY_TIMEOUT_MS = 120_000;
const READY_POLL_MS = 200;

/** A running service: where it answers, and how to get a token from whoever runs it. */
export interface Server {
  origin: string;
  token(user: string, name: string, scope?: string): Promise<string>;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '..', '..');

/**
 * The server that runs at `PORT` already, or one of our own that is gone with its data when it stops.
 * @throws StartupError if the one that runs takes no tokens of ours
 */
export async function findOrStartServer(): Promise<Server> {
  const origin = `http://127.0.0.1:${process.env.PORT ?? '3000'}`;
  if (!(await isReady(origin))) return startServer();
  const { jwt, dataDir } = loadSettings();
  const server: Server = { origin, token: tokens({ DATA_DIR: dataDir }), stop: () => Promise.resolve() };
  // Where no secret is, asking for a token would make one.
  const haveSecret = jwt.secret !== undefined || existsSync(join(dataDir, 'secrets.json'));
  if (!haveSecret || !(await takesOurTokens(server))) {
    throw new StartupError(`The server at ${origin} was started with another DATA_DIR: set DATA_DIR or PORT.`);
  }
  return server;
}

/** Whether it knows the secret that ours are signed with. */
async function takesOurTokens(server: Server): Promise<boolean> {
  const somebody = await Person.withToken(server, 'Somebody', 'somebody', '0000');
  return somebody.isKnown();
}

async function startServer(): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'association-demo-'));
  const port = await freePort();
  const env = { DATA_DIR: join(dataDir, 'data'), PORT: String(port), LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [join(root, 'cli', 'start.ts')], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  };
  const origin = `http://127.0.0.1:${String(port)}`;
  for (const end = Date.now() + READY_TIMEOUT_MS; !(await isReady(origin)); await sleep(READY_POLL_MS)) {
    if (child.exitCode !== null || Date.now() > end) {
      await stop();
      throw new Error('The service did not start; its own line above says why.');
    }
  }
  return { origin, token: tokens(env), stop };
}

/** Tokens from the same command that people use. */
function tokens(env: Record<string, string>): Server['token'] {
  return async (user, name, scope) => {
    const options = [user, '--name', name, ...(scope === undefined ? [] : ['--scope', scope])];
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'cli', 'token.ts'), ...options], {
      cwd: root,
      env: { ...process.env, ...env },
    });
    return stdout.trim();
  };
}

async function isReady(origin: string): Promise<boolean> {
  return fetch(`${origin}/health/ready`).then(
    (response) => response.ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
