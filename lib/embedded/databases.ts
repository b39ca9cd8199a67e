import { developmentDatabasePassword, loadOrCreateSecrets } from '../config/secrets.ts';
import {
  FURTHER_SERVICES,
  isFurtherService,
  TABLE_SERVICES,
  type DatabaseService,
  type FurtherService,
} from '../config/service-names.ts';
import type { Settings } from '../config/settings.ts';
import { StartupError } from '../config/startup-error.ts';
import { serviceVariable } from '../config/variables.ts';
import type { ServiceDatabase } from '../node/resources.ts';
import { probeDatabase } from './probe.ts';
import { defaultDatabaseName, derivedPasswords, provision, type DatabaseSpec } from './provision.ts';

export type ServiceDatabases = Partial<Record<DatabaseService, ServiceDatabase>>;

/** A PostgreSQL server on which databases and roles are created. */
export interface DatabaseServer {
  /** The setting from which it comes; DATA_DIR for the embedded server. */
  variable: 'POSTGRES_URL' | 'DATA_DIR';
  adminUrl: string;
  /** Returns the password of a service's login role with its default name. */
  passwordOf: (service: DatabaseService) => string;
}

/** Whether the settings name a database for each of `services`. */
export function databasesAreGiven(settings: Settings, services: readonly DatabaseService[]): boolean {
  return (
    settings.postgresUrl !== undefined || services.every((service) => settings.databaseUrls[service] !== undefined)
  );
}

/**
 * Returns the further services that `npm start` can run: all, unless the settings name a database for each of the other services and
 * none for it, as those of 0.1.0 do.
 */
export function furtherWithDatabases(settings: Settings): readonly FurtherService[] {
  const isElsewhere = settings.postgresUrl === undefined && databasesAreGiven(settings, TABLE_SERVICES);
  return FURTHER_SERVICES.filter((service) => !isElsewhere || settings.databaseUrls[service] !== undefined);
}

/**
 * Returns the databases of `services` that the settings name. With POSTGRES_URL, missing ones are created, with the names in
 * a service's own *_DATABASE_URL or the default names. Without it, the services migrate with their own roles.
 * @throws StartupError for a server that cannot be reached or used
 */
export async function givenDatabases(
  settings: Settings,
  services: readonly DatabaseService[],
): Promise<ServiceDatabases> {
  const { postgresUrl: adminUrl, dataDir } = settings;
  if (adminUrl === undefined) return makeDatabases(settings, services);
  const derived = derivedPasswords(adminUrl);
  const secrets = derived === undefined ? await loadOrCreateSecrets(dataDir) : undefined;
  const passwordOf = derived ?? ((service: DatabaseService) => developmentDatabasePassword(secrets!, service));
  return makeDatabases(settings, services, { variable: 'POSTGRES_URL', adminUrl, passwordOf });
}

/** Returns the databases of `services` that have a *_DATABASE_URL, and creates the others on `server`. */
export async function makeDatabases(
  settings: Settings,
  services: readonly DatabaseService[],
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
  { variable, adminUrl, passwordOf }: DatabaseServer,
  settings: Settings,
  services: readonly DatabaseService[],
): Promise<ServiceDatabases> {
  const ownServer = variable === 'DATA_DIR';
  const specs: Partial<Record<DatabaseService, DatabaseSpec>> = {};
  for (const service of services) {
    const url = settings.databaseUrls[service];
    const login = { name: service, password: passwordOf(service) };
    const isOwner = isFurtherService(service);
    if (url === undefined) specs[service] = { database: defaultDatabaseName(service), login, isOwner };
    else if (!ownServer) specs[service] = { ...specFrom(service, url), isOwner };
  }
  await probeDatabase(variable, adminUrl);
  try {
    return await provision(adminUrl, specs as Record<DatabaseService, DatabaseSpec>, { ownServer });
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const { message } = error as Error;
    throw new StartupError(`${variable}: the server refused to create databases and roles (${message}).`);
  }
}

function specFrom(service: DatabaseService, given: string): DatabaseSpec {
  const { pathname, username, password } = new URL(given);
  if (pathname.length <= 1 || username === '') {
    throw new StartupError(`${serviceVariable('SERVICE_DATABASE_URL', service)} must name a user and a database.`);
  }
  return {
    database: decodeURIComponent(pathname.slice(1)),
    login: { name: decodeURIComponent(username), password: decodeURIComponent(password) },
  };
}
