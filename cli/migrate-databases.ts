import type { TableService } from '../lib/config/service-names.ts';
import type { Settings } from '../lib/config/settings.ts';
import { migrate } from '../lib/db/migrate.ts';
import { givenDatabases } from '../lib/embedded/databases.ts';
import { databaseOf } from '../lib/node/resources.ts';
import { loadDatabase } from './catalogue.ts';

/**
 * Migrates the services' databases of the settings; with POSTGRES_URL, creates missing databases and roles first. It is safe
 * to repeat, and to run in several processes concurrently.
 * @throws StartupError for a database that cannot be reached or migrated
 */
export async function migrateDatabases(settings: Settings, services: readonly TableService[]): Promise<void> {
  const databases = await givenDatabases(settings, services);
  for (const service of services) {
    const { migrations } = await loadDatabase(service);
    await migrate(databaseOf({ databases }, service), migrations);
    console.log(`${service}: database ready`);
  }
}
