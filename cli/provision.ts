import { TABLE_SERVICES } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { givenDatabases } from '../lib/embedded/databases.ts';
import { migrate } from '../lib/db/migrate.ts';
import { databaseOf } from '../lib/node/resources.ts';
import { loadDatabase } from './catalogue.ts';
import { runOnce } from './run-once.ts';

/**
 * npm run provision: creates each service's database and roles with POSTGRES_URL, as its *_DATABASE_URL says, and migrates
 * it. It runs before the start of containers that know only their own URL. It is safe to repeat.
 */
async function main(): Promise<void> {
  const settings = loadSettings();
  if (settings.postgresUrl === undefined) throw new StartupError("Set POSTGRES_URL to an administrator's URL.");
  const databases = await givenDatabases(settings, TABLE_SERVICES);
  for (const service of TABLE_SERVICES) {
    const { migrations } = await loadDatabase(service);
    await migrate(databaseOf({ databases }, service), migrations);
    console.log(`${service}: database ready`);
  }
}

await runOnce(main);
