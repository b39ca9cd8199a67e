import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from '../../lib/embedded/postgres.ts';
import { startNats } from './nats.ts';
import { findServers, SERVERS_VARIABLE, type Servers } from './run-servers.ts';

/** Maximum number of processes that run test files concurrently. Each uses a separate account of the NATS server. */
export const JOBS_MAX = 16;
/** Number of this process, which Mocha sets in parallel runs only. */
const job = () => process.env['MOCHA_WORKER_ID'] ?? '0';
const accountOf = (number: number | string) => `job${String(number)}`;

/** Returns the administrator's URL of the run's PostgreSQL. */
export function adminUrl(): string {
  return servers().adminUrl;
}

/** Returns the URL of the run's NATS server with JetStream. Messages of other processes of the run are not visible. */
export function natsUrl(): string {
  return `nats://${accountOf(job())}:test@${servers().natsOrigin}`;
}

/** Returns a folder that exists until the end of the run. */
export function runFolder(): string {
  return servers().folder;
}

function servers(): Servers {
  const found = findServers();
  if (found === undefined)
    throw new Error('No servers: run mocha with test/harness/global-servers.ts (see .mocharc.json)');
  return found;
}

/**
 * Starts a PostgreSQL and a NATS server for the run, unless the parent process has started them.
 * @returns a function that stops them
 */
export async function startServers(): Promise<() => Promise<void>> {
  if (SERVERS_VARIABLE in process.env) return () => Promise.resolve();
  const folder = await mkdtemp(join(tmpdir(), 'association-test-'));
  const onCrash = (line: string) => void process.stderr.write(`${line}\n`);
  const [postgres, nats] = await Promise.all([
    startPostgres({ dataDir: folder, password: 'test', onCrash }),
    startNats(`max_payload: 8388608\n${accounts()}`),
  ]);
  // Checking the passwords takes a third of the time of the thousands of connections. The clusters' servers check them.
  await writeFile(join(folder, 'postgres', 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
  await saveWork(postgres.url);
  await withClient(postgres.url, async (admin) => {
    await admin.query('CREATE TABLE made_once (name text PRIMARY KEY, made jsonb NOT NULL)');
  });
  const found: Servers = { adminUrl: postgres.url, natsOrigin: `127.0.0.1:${String(nats.port)}`, folder };
  process.env[SERVERS_VARIABLE] = JSON.stringify(found);
  return async () => {
    await Promise.all([postgres.stop(), nats.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
}

/**
 * Saves a server, now and after a restart, work that no test needs: to flush, because tests kill it, but not the machine, and
 * to look through hundreds of databases that are used for seconds.
 */
export async function saveWork(url: string): Promise<void> {
  await withClient(url, async (admin) => {
    await admin.query('ALTER SYSTEM SET fsync = off');
    await admin.query('ALTER SYSTEM SET autovacuum = off');
    await admin.query('SELECT pg_reload_conf()');
  });
}

function accounts(): string {
  const list = Array.from({ length: JOBS_MAX }, (_, number) => accountOf(number)).map(
    (name) => `${name} { jetstream: enabled, users: [{ user: ${name}, password: test }] }`,
  );
  return `accounts { ${list.join('\n')} }`;
}

/** Calls `make` in the first process of the run that asks for `name`; all others wait for its result. */
export async function madeOnce<T>(name: string, make: () => Promise<T>): Promise<T> {
  return withClient(adminUrl(), async (admin) => {
    await admin.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rows } = await admin.query<{ made: T }>('SELECT made FROM made_once WHERE name = $1', [name]);
    if (rows[0] !== undefined) return rows[0].made;
    const made = await make();
    await admin.query('INSERT INTO made_once VALUES ($1, $2)', [name, JSON.stringify(made)]);
    return made;
  });
}

/** Runs `work` on a separate connection. */
export async function withClient<T>(url: string, work: (admin: Client) => Promise<T>): Promise<T> {
  const admin = new Client({ connectionString: url });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}
