import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../../lib/db/migrate.ts';
import { startPostgres } from '../../lib/embedded/postgres.ts';
import { provision } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { treasuryDatabase } from './service-internals.ts';

const PASSWORD_BYTES = 16;
/** Sessions read a changed setting when they next wait for a statement. */
const RELOAD_POLL_MS = 20;

/** Settings that delay each group of commits by a millisecond, like a disk with slow flushes. */
const SLOW_FLUSH = { commit_delay: '1000', commit_siblings: '0' };

/** A treasury's database. */
export interface LedgerDatabase {
  name: string;
  /** URL of the service's login role. */
  url: string;
  /** URL of the administrator. */
  adminUrl: string;
}

/** A separate PostgreSQL server of the benchmark, configured like the embedded one. */
export interface LedgerServer {
  /** Creates a database without tables. @returns the administrator's URL */
  empty(name: string): Promise<string>;
  /** Creates a treasury's database. */
  database(name: string): Promise<LedgerDatabase>;
  drop(name: string): Promise<void>;
  /** Writes all dirty pages, so that no measurement pays for earlier writes. */
  checkpoint(): Promise<void>;
  /** Makes every flush take a millisecond longer, until it is switched off. */
  slowFlush(on: boolean): Promise<void>;
  stop(): Promise<void>;
}

export async function startLedgerServer(): Promise<LedgerServer> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'association-ledger-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const server = await startPostgres({
    dataDir,
    password: randomBytes(PASSWORD_BYTES).toString('hex'),
    onCrash: (line) => process.stderr.write(`${line}\n`),
  });
  stack.defer(() => server.stop());
  const adminUrl = server.url;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  stack.defer(() => admin.end());
  const running = stack.move();
  return { ...operations(admin, adminUrl), stop: () => running.disposeAsync() };
}

function operations(admin: pg.Client, adminUrl: string): Omit<LedgerServer, 'stop'> {
  const password = randomBytes(PASSWORD_BYTES).toString('hex');
  return {
    async empty(name) {
      await admin.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE template0`);
      return withDatabase(adminUrl, name);
    },
    async database(name) {
      const wish = { made: { database: name, login: { name: 'treasury', password } } };
      const { made } = await provision(adminUrl, wish, { ownServer: true });
      await migrate(made, treasuryDatabase.migrations);
      return { name, url: made.url, adminUrl: withDatabase(adminUrl, name) };
    },
    drop: async (name) => void (await admin.query(`DROP DATABASE ${pg.escapeIdentifier(name)}`)),
    checkpoint: async () => void (await admin.query('CHECKPOINT')),
    async slowFlush(on) {
      for (const [setting, value] of Object.entries(SLOW_FLUSH)) {
        await admin.query(on ? `ALTER SYSTEM SET ${setting} = ${value}` : `ALTER SYSTEM RESET ${setting}`);
      }
      await admin.query('SELECT pg_reload_conf()');
      await untilReloaded(admin, on);
    },
  };
}

async function untilReloaded(admin: pg.Client, on: boolean): Promise<void> {
  for (;;) {
    const { rows } = await admin.query<{ commit_delay: string }>('SHOW commit_delay');
    if ((rows[0]?.commit_delay === SLOW_FLUSH.commit_delay) === on) return;
    await sleep(RELOAD_POLL_MS);
  }
}
