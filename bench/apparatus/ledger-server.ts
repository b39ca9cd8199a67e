import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { loadSettings } from '../../lib/config/settings.ts';
import { startPostgres } from '../../lib/embedded/postgres.ts';
import { provision, withDatabase } from '../../lib/embedded/provision.ts';
import { migrate } from '../../lib/db/migrate.ts';
// Whoever uses the ledger reads bigint columns as bigints.
import '../../lib/db/pg-types.ts';
import { createRuntime } from '../../lib/runtime/create-runtime.ts';
import type { ServiceDatabase } from '../../lib/runtime/resources.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { treasuryDatabase } from '../../services/treasury/database.ts';

const PASSWORD_BYTES = 16;
/** The database that the others are cloned from; with its roles it is what provision() makes for the treasury. */
const TEMPLATE = 'ledger';
/** Sessions take up a changed setting when they next wait for a statement. */
const RELOAD_POLL_MS = 20;

/** What a disk that takes a millisecond for a flush does to commits: each leader of a group waits this long. */
const SLOW_FLUSH = { commit_delay: '1000', commit_siblings: '0' };

/** A treasury's database. */
export interface LedgerDatabase {
  name: string;
  /** Of the service's own login role. */
  url: string;
  /** Of the administrator. */
  adminUrl: string;
}

/** A PostgreSQL server of the benchmark's own, set up as the embedded one is. */
export interface LedgerServer {
  /** That of a real process. */
  readonly runtime: Runtime;
  /** Makes an empty database for something that brings its own tables; gives the administrator's URL of it. */
  empty(name: string): Promise<string>;
  /** Makes a treasury's database by its migrations, or as a copy of one that nobody is connected to. */
  database(name: string, like?: LedgerDatabase): Promise<LedgerDatabase>;
  drop(name: string): Promise<void>;
  /** Writes out what is in memory, so that no measurement pays for what came before it. */
  checkpoint(): Promise<void>;
  /** Makes every flush take a millisecond longer, until it is told otherwise. */
  slowFlush(on: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the server, its files in the system's directory for temporary ones. */
export async function startLedgerServer(): Promise<LedgerServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'association-bench-'));
  const removeFiles = (): void => rmSync(dataDir, { recursive: true, force: true });
  process.once('exit', removeFiles);
  const server = await startPostgres({
    dataDir,
    password: randomBytes(PASSWORD_BYTES).toString('hex'),
    onCrash: (line) => process.stderr.write(`${line}\n`),
  });
  const admin = new pg.Client({ connectionString: server.url });
  const stop = async (): Promise<void> => {
    await admin.end();
    await server.stop();
    removeFiles();
    process.off('exit', removeFiles);
  };
  try {
    await admin.connect();
    const template = await makeTemplate(server.url);
    const runtime = await createRuntime(loadSettings({ DATA_DIR: dataDir }), { natsUrl: '', databases: {} });
    return { runtime, ...actionsOf(admin, server.url, template), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function actionsOf(
  admin: pg.Client,
  adminUrl: string,
  template: Required<ServiceDatabase>,
): Omit<LedgerServer, 'runtime' | 'stop'> {
  const quoted = pg.escapeIdentifier;
  const login = quoted(new URL(template.url).username);
  return {
    async empty(name) {
      await admin.query(`CREATE DATABASE ${quoted(name)} TEMPLATE template0`);
      return withDatabase(adminUrl, name);
    },
    async database(name, like) {
      const source = like?.name ?? TEMPLATE;
      await admin.query(
        `CREATE DATABASE ${quoted(name)} TEMPLATE ${quoted(source)} OWNER ${quoted(template.ownerRole)}`,
      );
      // Who may connect is not cloned.
      await admin.query(`REVOKE ALL ON DATABASE ${quoted(name)} FROM PUBLIC`);
      await admin.query(`GRANT CONNECT ON DATABASE ${quoted(name)} TO ${login}`);
      return { name, url: withDatabase(template.url, name), adminUrl: withDatabase(adminUrl, name) };
    },
    async drop(name) {
      await admin.query(`DROP DATABASE ${quoted(name)}`);
    },
    async checkpoint() {
      await admin.query('CHECKPOINT');
    },
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

async function makeTemplate(adminUrl: string): Promise<Required<ServiceDatabase>> {
  const login = { name: 'treasury', password: randomBytes(PASSWORD_BYTES).toString('hex') };
  const { made } = await provision(adminUrl, { made: { database: TEMPLATE, login } }, { ownServer: true });
  await migrate(made, treasuryDatabase.migrations);
  return made;
}
