import { setTimeout as delay } from 'node:timers/promises';
import { DataSource, type Logger, type MigrationInterface, type QueryRunner } from 'typeorm';
import { StartupError } from '../config/startup-error.ts';
import { isLockTimeout } from './errors.ts';
import type { ServiceDatabase } from '../node/resources.ts';
import { socketToHost } from './host-addresses.ts';
import { HALF_OPEN_ENDS } from './pool-settings.ts';

/** A step from one schema to the next. docs/upgrades.md says what it may change, and a test checks that. */
export interface Migration extends MigrationInterface {
  /**
   * The objects that this migration removes or restricts, each with the first release that works without the removed form,
   * such as `{ 'cycles.driven_at': '0.2.0' }`.
   */
  readonly contracts?: Readonly<Record<string, string>>;
}

export type MigrationClass = new () => Migration;

/** An arbitrary number. With this lock, processes that start together migrate one after another. */
const MIGRATION_LOCK = 7_206_310_455;
const LOCK_POLL_MS = 100;

/**
 * Processes of the release before this one work while a migration runs. One that waits for a lock on a table delays all later
 * statements on the table, so it soon gives up and tries again: their transactions take milliseconds, and leave gaps. It gives
 * up before a deadlock would be resolved (1 s), which might fail a request.
 */
const LOCK_TIMEOUT_MS = 100;
/** Together longer than any statement takes. */
const ATTEMPTS_MAX = 100;
const RETRY_MS = 300;

const silent = (): void => undefined;
/** An attempt that fails is not worth a line, and the last one becomes a StartupError. */
const QUIET: Logger = {
  logQuery: silent,
  logQueryError: silent,
  logQuerySlow: silent,
  logSchemaBuild: silent,
  logMigration: silent,
  log: silent,
};

/**
 * Runs a database's pending migrations, once even if several processes start together. Unknown ones of a later release stay.
 * @throws StartupError with a message of one line if that fails
 */
export async function migrate(resource: ServiceDatabase, migrations: MigrationClass[]): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    url: resource.migrationUrl ?? resource.url,
    migrations,
    installExtensions: false,
    migrationsTransactionMode: 'each',
    logger: QUIET,
    // One connection, so that the lock, the role and the migrations share a session.
    extra: { max: 1, stream: socketToHost, options: HALF_OPEN_ENDS },
  });
  try {
    await dataSource.initialize();
    await takeMigrationLock(dataSource);
    if (resource.ownerRole !== undefined) await dataSource.query(`SET ROLE "${resource.ownerRole}"`);
    await refuseIfPending(dataSource, resource);
    const serviceRole = decodeURIComponent(new URL(resource.url).username);
    await dataSource.query(`SELECT set_config('app.service_role', $1, false)`, [serviceRole]);
    await runPending(dataSource);
    // A node that has only the service's own URL must see that no migration is pending.
    await dataSource.query(`GRANT SELECT ON migrations TO "${serviceRole.replaceAll('"', '""')}"`);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const { host, pathname } = new URL(resource.migrationUrl ?? resource.url);
    throw new StartupError(`Cannot prepare the database ${pathname.slice(1)} at ${host}: ${(error as Error).message}`);
  } finally {
    // Closing the session frees the lock.
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

/** Polls: a session that waits for the lock would be an open transaction, for which CREATE INDEX CONCURRENTLY waits. */
async function takeMigrationLock(dataSource: DataSource): Promise<void> {
  for (;;) {
    const [taken] = await dataSource.query<{ is_taken: boolean }[]>('SELECT pg_try_advisory_lock($1) AS is_taken', [
      MIGRATION_LOCK,
    ]);
    if (taken?.is_taken === true) return;
    await delay(LOCK_POLL_MS);
  }
}

async function runPending(dataSource: DataSource): Promise<void> {
  await dataSource.query(`SET lock_timeout = ${String(LOCK_TIMEOUT_MS)}`);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await dataSource.runMigrations();
      return;
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isLockTimeout(error)) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** @throws StartupError if migrations are pending, and this role may not run them: they are a step of their own then */
async function refuseIfPending(dataSource: DataSource, { url }: ServiceDatabase): Promise<void> {
  const [{ mayMigrate, hasTable }] = await dataSource.query<[{ mayMigrate: boolean; hasTable: boolean }]>(
    `SELECT has_schema_privilege('public', 'CREATE') AS "mayMigrate", to_regclass('migrations') IS NOT NULL AS "hasTable"`,
  );
  if (mayMigrate || (hasTable && !(await dataSource.showMigrations()))) return;
  const database = new URL(url).pathname.slice(1);
  throw new StartupError(`The database ${database} lacks migrations of this release: run npm run migrate first.`);
}

/**
 * Gives the service's role exactly these privileges on a table, even if that role owns it: an owner's own privileges can be
 * revoked like those of other roles.
 * @param privileges such as `SELECT, INSERT`
 */
export async function grantTo(queryRunner: QueryRunner, table: string, privileges: string): Promise<void> {
  await queryRunner.query(`
    DO $$
    DECLARE service_role text := current_setting('app.service_role');
    BEGIN
      EXECUTE format('REVOKE ALL ON TABLE ${table} FROM %I', service_role);
      EXECUTE format('GRANT ${privileges} ON TABLE ${table} TO %I', service_role);
    END $$`);
}
