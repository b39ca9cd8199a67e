import { DATABASE_SERVICES, type DatabaseService } from '../lib/config/service-names.ts';
import { loadSettings, type Settings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { migrateDatabases } from './migrate-databases.ts';
import { runOnce } from '../lib/node/run-once.ts';

const USAGE = `Usage: npm run migrate -- [<service>...] (of ${DATABASE_SERVICES.join(', ')}; all that have a database if none is named)`;

/**
 * npm run migrate: migrates the services' databases before the services start. With POSTGRES_URL it first creates missing
 * databases and roles, as *_DATABASE_URL says; with a service's own URL alone, its role must be allowed to change the schema.
 * Further services own their databases, and migrate them when they start.
 */
await runOnce(async () => {
  const settings = loadSettings();
  await migrateDatabases(settings, servicesIn(process.argv.slice(2), settings));
});

function servicesIn(names: readonly string[], { postgresUrl, databaseUrls }: Settings): readonly DatabaseService[] {
  if (!names.every(isDatabaseService)) throw new StartupError(USAGE);
  const wanted = names.length > 0 ? names : DATABASE_SERVICES;
  if (postgresUrl !== undefined || names.length > 0) return wanted;
  const given = wanted.filter((service) => databaseUrls[service] !== undefined);
  if (given.length > 0) return given;
  throw new StartupError('No database to migrate: set POSTGRES_URL, or the *_DATABASE_URL of a service.');
}

function isDatabaseService(name: string): name is DatabaseService {
  return (DATABASE_SERVICES as readonly string[]).includes(name);
}
