import { hash } from 'node:crypto';
import pg from 'pg';
import { StartupError } from '../config/startup-error.ts';
import { measurePool } from './pool-metrics.ts';
import { POOL_SETTINGS } from './pool-settings.ts';
import type { SqlPool } from './sql.ts';
import { openSqlPool } from './sql-pool.ts';

/** Enough for the parallel work of one process on two cores. */
const CONNECTIONS_MAX = 10;

/** A database that is used by SQL alone. */
export interface SqlDatabase extends SqlPool {
  close(): Promise<void>;
}

/** One step from one schema to the next. Its name is unique, and never changes. */
export interface SqlMigration {
  readonly name: string;
  readonly statements: readonly string[];
}

/**
 * Connects to a service's database, and runs its pending migrations: in order, each once even if several processes start
 * together. Unknown ones of a later release stay.
 * @throws StartupError with a message of one line if the database cannot be reached, or a migration fails
 */
export async function openSqlDatabase(url: string, migrations: readonly SqlMigration[]): Promise<SqlDatabase> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS_MAX, ...POOL_SETTINGS, pipeline: true });
  // The pool replaces a connection that is lost while idle. If that fails, the next statement reports it.
  pool.on('error', () => undefined);
  const { host, pathname } = new URL(url);
  const database = pathname.slice(1);
  const db = openSqlPool(pool);
  try {
    await migrateSql(url, migrations);
  } catch (error) {
    await pool.end();
    throw new StartupError(`Cannot prepare the database ${database} at ${host}: ${(error as Error).message}`);
  }
  const stopMeasuring = measurePool(`${database}.main`, pool);
  return Object.assign(db, {
    async close() {
      stopMeasuring();
      await pool.end();
    },
  });
}

/** An arbitrary number. With this lock, processes that start together migrate one after another. */
const MIGRATION_LOCK = 7_306_120_918;

async function migrateSql(url: string, migrations: readonly SqlMigration[]): Promise<void> {
  // Without the time limits of other statements: building an index may take long, and other processes wait meanwhile.
  const settings = { ...POOL_SETTINGS, statement_timeout: 0, query_timeout: 0 };
  const pool = new pg.Pool({ connectionString: url, max: 1, ...settings });
  try {
    await runPending(openSqlPool(pool), migrations);
  } finally {
    await pool.end();
  }
}

async function runPending(db: SqlPool, migrations: readonly SqlMigration[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await tx.run(
      `CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, run_at timestamptz NOT NULL DEFAULT now())`,
    );
    await tx.run('ALTER TABLE migrations ADD COLUMN IF NOT EXISTS statements_hash text');
    const done = await tx.rows<{ name: string; statements_hash: string | null }>('SELECT * FROM migrations');
    for (const { name, statements } of migrations) {
      const statements_hash = hash('sha256', JSON.stringify(statements), 'hex');
      const earlier = done.find((each) => each.name === name);
      if (earlier !== undefined) {
        const isSame = [null, statements_hash].includes(earlier.statements_hash);
        if (!isSame) throw new Error(`the migration ${name} has been changed since it was run: add another one`);
        continue;
      }
      for (const statement of statements) await tx.run(statement);
      await tx.run('INSERT INTO migrations (name, statements_hash) VALUES ($1, $2)', [name, statements_hash]);
    }
  });
}
