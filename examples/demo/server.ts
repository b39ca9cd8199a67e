import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { loadSettings } from '../../lib/config/settings.ts';
import { StartupError } from '../../lib/config/startup-error.ts';
import { freeLoopbackPort } from '../../lib/node/ports.ts';
import { Person } from './person.ts';

/** The first start fetches or unpacks server binaries; later ones take seconds. */
const READY_TIMEOUT_MS = 120_000;
const READY_POLL_MS = 200;

/** A running service, and a source of tokens for it. */
export interface Server {
  origin: string;
  token(user: string, name: string, scope?: string): Promise<string>;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '..', '..');

/**
 * Returns the server that runs at `PORT`, or starts one whose data is deleted when it stops.
 * @throws StartupError if the running server does not accept the tokens of this demo
 */
export async function findOrStartServer(): Promise<Server> {
  const origin = `http://127.0.0.1:${process.env.PORT ?? '3000'}`;
  if (!(await isReady(origin))) return startServer();
  const { jwt, dataDir } = loadSettings();
  const server: Server = { origin, token: tokenCommand({ DATA_DIR: dataDir }), stop: () => Promise.resolve() };
  // Without a secret, the token command would create one.
  const haveSecret = jwt.secret !== undefined || existsSync(join(dataDir, 'secrets.json'));
  if (!haveSecret || !(await acceptsOurTokens(server))) {
    throw new StartupError(`The server at ${origin} was started with another DATA_DIR: set DATA_DIR or PORT.`);
  }
  return server;
}

/** Whether the server verifies tokens with the secret that this demo signs them with. */
async function acceptsOurTokens(server: Server): Promise<boolean> {
  const guest = await Person.withToken(server, 'Guest', 'guest', '0000');
  return guest.isKnown();
}

/**
 * Starts a server whose data is deleted when it stops.
 * @param settings variables in addition to those of this process
 */
export async function startServer(settings: Record<string, string> = {}): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'association-demo-'));
  const port = await freeLoopbackPort();
  const env = { ...settings, DATA_DIR: join(dataDir, 'data'), PORT: String(port), LOG_LEVEL: 'warn' };
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
      throw new Error('The service did not start: see the line above.');
    }
  }
  return { origin, token: tokenCommand(env), stop };
}

/** Returns a function that gets tokens from the `npm run token` command. */
function tokenCommand(env: Record<string, string>): Server['token'] {
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
