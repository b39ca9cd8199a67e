import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { StartupError } from '../config/startup-error.ts';
import type { ServiceDatabase } from '../node/resources.ts';
import { HALF_OPEN_ENDS } from './pool-settings.ts';

export type MigrationClass = new () => MigrationInterface;

/** An arbitrary number. With this lock, processes that start together migrate one after another. */
const MIGRATION_LOCK = 7_206_310_455;

/**
 * Runs a database's pending migrations, once even if several processes start together.
 * @throws StartupError with a message of one line if that fails
 */
export async function migrate(resource: ServiceDatabase, migrations: MigrationClass[]): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    url: resource.migrationUrl ?? resource.url,
    migrations,
    installExtensions: false,
    migrationsTransactionMode: 'each',
    // One connection, so that the lock, the role and the migrations share a session.
    extra: { max: 1, options: HALF_OPEN_ENDS },
  });
  try {
    await dataSource.initialize();
    await dataSource.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    if (resource.ownerRole !== undefined) await dataSource.query(`SET ROLE "${resource.ownerRole}"`);
    const serviceRole = decodeURIComponent(new URL(resource.url).username);
    await dataSource.query(`SELECT set_config('app.service_role', $1, false)`, [serviceRole]);
    await dataSource.runMigrations();
    // A node that has only the service's own URL must see that no migration is pending.
    await dataSource.query(`GRANT SELECT ON migrations TO "${serviceRole.replaceAll('"', '""')}"`);
  } catch (error) {
    const { host, pathname } = new URL(resource.migrationUrl ?? resource.url);
    throw new StartupError(`Cannot prepare the database ${pathname.slice(1)} at ${host}: ${(error as Error).message}`);
  } finally {
    // Closing the session frees the lock.
    if (dataSource.isInitialized) await dataSource.destroy();
  }
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
