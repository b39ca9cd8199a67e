import { loadOrCreateSecrets } from '../config/secrets.ts';
import { databaseUrlVariable, isTableService, type ServiceName, type TableService } from '../config/service-names.ts';
import type { Settings } from '../config/settings.ts';
import { StartupError } from '../config/startup-error.ts';
import type { ServiceDatabase } from '../node/resources.ts';
import { probeDatabase } from './probe.ts';
import { defaultDatabaseName, derivedPassword, provision, type DatabaseWish } from './provision.ts';

export type ServiceDatabases = Partial<Record<TableService, ServiceDatabase>>;

/** Whether the settings name a database for each of `services`. */
export function databasesAreGiven(settings: Settings, services: readonly ServiceName[]): boolean {
  return (
    settings.postgresUrl !== undefined ||
    services.filter(isTableService).every((service) => settings.databaseUrls[service] !== undefined)
  );
}

/** Makes the databases of `services` on the embedded server, but those that have a *_DATABASE_URL. */
export async function embeddedDatabases(
  settings: Settings,
  services: readonly TableService[],
  adminUrl: string,
  passwords: Record<TableService, string>,
): Promise<ServiceDatabases> {
  const wishes: Partial<Record<TableService, DatabaseWish>> = {};
  for (const service of services) {
    if (settings.databaseUrls[service] !== undefined) continue;
    wishes[service] = {
      database: defaultDatabaseName(service),
      login: { name: service, password: passwords[service] },
    };
  }
  const embedded = await provision(adminUrl, wishes as Record<TableService, DatabaseWish>, { ownServer: true });
  return { ...embedded, ...(await ownDatabases(settings, services)) };
}

/**
 * The databases of `services` on servers of the user's. With POSTGRES_URL they are made where missing: as a service's
 * own *_DATABASE_URL says, or under the default names.
 * @throws {StartupError} for a server that cannot be reached or used.
 */
export async function givenDatabases(settings: Settings, services: readonly TableService[]): Promise<ServiceDatabases> {
  const { postgresUrl } = settings;
  if (postgresUrl === undefined) return ownDatabases(settings, services);
  await probeDatabase('POSTGRES_URL', postgresUrl);
  const wishes: Partial<Record<TableService, DatabaseWish>> = {};
  for (const service of services) wishes[service] = await wishOf(settings, postgresUrl, service);
  const databases: ServiceDatabases = await provisionGiven(postgresUrl, wishes);
  for (const service of services) {
    const [url, database] = [settings.databaseUrls[service], databases[service]];
    if (url !== undefined && database !== undefined) databases[service] = { ...database, url };
  }
  await probeGiven(settings, services);
  return databases;
}

/** The databases that have a *_DATABASE_URL; without an administrator the services migrate as themselves. */
async function ownDatabases(settings: Settings, services: readonly TableService[]): Promise<ServiceDatabases> {
  await probeGiven(settings, services);
  const databases: ServiceDatabases = {};
  for (const service of services) {
    const url = settings.databaseUrls[service];
    if (url !== undefined) databases[service] = { url };
  }
  return databases;
}

async function probeGiven(settings: Settings, services: readonly TableService[]): Promise<void> {
  await Promise.all(
    services.map(async (service) => {
      const url = settings.databaseUrls[service];
      if (url !== undefined) await probeDatabase(databaseUrlVariable(service), url);
    }),
  );
}

async function wishOf(settings: Settings, adminUrl: string, service: TableService): Promise<DatabaseWish> {
  const given = settings.databaseUrls[service];
  if (given === undefined) {
    const password =
      derivedPassword(adminUrl, service) ?? (await loadOrCreateSecrets(settings.dataDir)).databasePasswords[service];
    return { database: defaultDatabaseName(service), login: { name: service, password } };
  }
  const url = new URL(given);
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database === '' || url.username === '') {
    throw new StartupError(`${databaseUrlVariable(service)} must name a user and a database.`);
  }
  return {
    database,
    login: { name: decodeURIComponent(url.username), password: decodeURIComponent(url.password) },
  };
}

async function provisionGiven(
  adminUrl: string,
  wishes: Partial<Record<TableService, DatabaseWish>>,
): Promise<ServiceDatabases> {
  try {
    return await provision(adminUrl, wishes as Record<TableService, DatabaseWish>);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`POSTGRES_URL: the server refused to make databases and roles (${reason}).`);
  }
}
