import { loadOrCreateSecrets } from '../config/secrets.ts';
import { isTableService, type ServiceName, type TableService } from '../config/service-names.ts';
import type { Settings } from '../config/settings.ts';
import { StartupError } from '../config/startup-error.ts';
import { serviceVariable } from '../config/variables.ts';
import type { ServiceDatabase } from '../node/resources.ts';
import { probeDatabase } from './probe.ts';
import { defaultDatabaseName, derivedPasswords, provision, type DatabaseSpec } from './provision.ts';

export type ServiceDatabases = Partial<Record<TableService, ServiceDatabase>>;

/** A PostgreSQL server on which databases and roles are created. */
export interface DatabaseServer {
  /** The setting from which it comes; DATA_DIR for the embedded server. */
  variable: 'POSTGRES_URL' | 'DATA_DIR';
  adminUrl: string;
  /** The passwords of the services' login roles with their default names. */
  passwords: Record<TableService, string>;
}

/** Whether the settings name a database for each of `services`. */
export function databasesAreGiven(settings: Settings, services: readonly ServiceName[]): boolean {
  return (
    settings.postgresUrl !== undefined ||
    services.filter(isTableService).every((service) => settings.databaseUrls[service] !== undefined)
  );
}

/**
 * Returns the databases of `services` that the settings name. With POSTGRES_URL, missing ones are created, with the names in
 * a service's own *_DATABASE_URL or the default names. Without it, the services migrate with their own roles.
 * @throws StartupError for a server that cannot be reached or used
 */
export async function givenDatabases(settings: Settings, services: readonly TableService[]): Promise<ServiceDatabases> {
  const { postgresUrl: adminUrl, dataDir } = settings;
  if (adminUrl === undefined) return makeDatabases(settings, services);
  const passwords = derivedPasswords(adminUrl) ?? (await loadOrCreateSecrets(dataDir)).databasePasswords;
  return makeDatabases(settings, services, { variable: 'POSTGRES_URL', adminUrl, passwords });
}

/** Returns the databases of `services` that have a *_DATABASE_URL, and creates the others on `server`. */
export async function makeDatabases(
  settings: Settings,
  services: readonly TableService[],
  server?: DatabaseServer,
): Promise<ServiceDatabases> {
  const databases = server === undefined ? {} : await provisionOn(server, settings, services);
  for (const service of services) {
    const url = settings.databaseUrls[service];
    if (url === undefined) continue;
    await probeDatabase(serviceVariable('SERVICE_DATABASE_URL', service), url);
    databases[service] = { ...databases[service], url };
  }
  return databases;
}

async function provisionOn(
  { variable, adminUrl, passwords }: DatabaseServer,
  settings: Settings,
  services: readonly TableService[],
): Promise<ServiceDatabases> {
  const ownServer = variable === 'DATA_DIR';
  const specs: Partial<Record<TableService, DatabaseSpec>> = {};
  for (const service of services) {
    const url = settings.databaseUrls[service];
    const login = { name: service, password: passwords[service] };
    if (url === undefined) specs[service] = { database: defaultDatabaseName(service), login };
    else if (!ownServer) specs[service] = specFrom(service, url);
  }
  await probeDatabase(variable, adminUrl);
  try {
    return await provision(adminUrl, specs as Record<TableService, DatabaseSpec>, { ownServer });
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const { message } = error as Error;
    throw new StartupError(`${variable}: the server refused to create databases and roles (${message}).`);
  }
}

function specFrom(service: TableService, given: string): DatabaseSpec {
  const { pathname, username, password } = new URL(given);
  if (pathname.length <= 1 || username === '') {
    throw new StartupError(`${serviceVariable('SERVICE_DATABASE_URL', service)} must name a user and a database.`);
  }
  return {
    database: decodeURIComponent(pathname.slice(1)),
    login: { name: decodeURIComponent(username), password: decodeURIComponent(password) },
  };
}
