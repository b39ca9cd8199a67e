import { isTableService, type DatabaseService } from '../lib/config/service-names.ts';
import type { Settings } from '../lib/config/settings.ts';
import { migrate } from '../lib/db/migrate.ts';
import { givenDatabases } from '../lib/embedded/databases.ts';
import { databaseOf } from '../lib/node/resources.ts';
import { loadDatabase } from './catalogue.ts';

/**
 * Migrates the services' databases of the settings; with POSTGRES_URL, creates missing databases and roles first. Those of further
 * services are only created. It is safe to repeat, and to run in several processes concurrently.
 * @throws StartupError for a database that cannot be reached or migrated
 */
export async function migrateDatabases(settings: Settings, services: readonly DatabaseService[]): Promise<void> {
  const databases = await givenDatabases(settings, services);
  for (const service of services) {
    if (isTableService(service)) {
      const { migrations } = await loadDatabase(service);
      await migrate(databaseOf({ databases }, service), migrations);
    }
    console.log(`${service}: database ready`);
  }
}
