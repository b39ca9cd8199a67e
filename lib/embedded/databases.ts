import { loadOrCreateSecrets } from '../config/secrets.ts';
import { isTableService, type ServiceName, type TableService } from '../config/service-names.ts';
import type { Settings } from '../config/settings.ts';
import { StartupError } from '../config/startup-error.ts';
import { serviceVariable } from '../config/variables.ts';
import type { ServiceDatabase } from '../node/resources.ts';
import { probeDatabase } from './probe.ts';
import { defaultDatabaseName, derivedPassword, provision, type DatabaseWish } from './provision.ts';

export type ServiceDatabases = Partial<Record<TableService, ServiceDatabase>>;

/** A PostgreSQL server to make databases and roles on. */
interface Server {
  /** The setting that it comes from. */
  variable: 'POSTGRES_URL' | 'DATA_DIR';
  adminUrl: string;
  passwordOf: (service: TableService) => string;
}

/** Whether the settings name a database for each of `services`. */
export function databasesAreGiven(settings: Settings, services: readonly ServiceName[]): boolean {
  return (
    settings.postgresUrl !== undefined ||
    services.filter(isTableService).every((service) => settings.databaseUrls[service] !== undefined)
  );
}

/** The databases of `services`: those with a *_DATABASE_URL, and the others on the embedded server. */
export function embeddedDatabases(
  settings: Settings,
  services: readonly TableService[],
  adminUrl: string,
  passwords: Record<TableService, string>,
): Promise<ServiceDatabases> {
  const server: Server = { variable: 'DATA_DIR', adminUrl, passwordOf: (service) => passwords[service] };
  return makeDatabases(settings, services, server);
}

/**
 * The databases of `services` that the settings name. With POSTGRES_URL they are made where missing: as a service's
 * own *_DATABASE_URL says, or under the default names. Without it the services migrate as themselves.
 * @throws {StartupError} for a server that cannot be reached or used.
 */
export async function givenDatabases(settings: Settings, services: readonly TableService[]): Promise<ServiceDatabases> {
  const { postgresUrl: adminUrl, dataDir } = settings;
  if (adminUrl === undefined) return makeDatabases(settings, services);
  const isDerived = derivedPassword(adminUrl, '') !== undefined;
  const passwords = isDerived ? undefined : (await loadOrCreateSecrets(dataDir)).databasePasswords;
  const passwordOf = (service: TableService) => passwords?.[service] ?? derivedPassword(adminUrl, service) ?? '';
  return makeDatabases(settings, services, { variable: 'POSTGRES_URL', adminUrl, passwordOf });
}

async function makeDatabases(
  settings: Settings,
  services: readonly TableService[],
  server?: Server,
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
  { variable, adminUrl, passwordOf }: Server,
  settings: Settings,
  services: readonly TableService[],
): Promise<ServiceDatabases> {
  const ownServer = variable === 'DATA_DIR';
  const wishes: Partial<Record<TableService, DatabaseWish>> = {};
  for (const service of services) {
    const url = settings.databaseUrls[service];
    if (url === undefined) {
      const login = { name: service, password: passwordOf(service) };
      wishes[service] = { database: defaultDatabaseName(service), login };
    } else if (!ownServer) wishes[service] = wishOf(service, url);
  }
  await probeDatabase(variable, adminUrl);
  try {
    return await provision(adminUrl, wishes as Record<TableService, DatabaseWish>, { ownServer });
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const { message } = error as Error;
    throw new StartupError(`${variable}: the server refused to make databases and roles (${message}).`);
  }
}

function wishOf(service: TableService, given: string): DatabaseWish {
  const url = new URL(given);
  const [database = '', name, password] = [url.pathname.slice(1), url.username, url.password].map(decodeURIComponent);
  if (database === '' || name === undefined || name === '') {
    throw new StartupError(`${serviceVariable('SERVICE_DATABASE_URL', service)} must name a user and a database.`);
  }
  return { database, login: { name, password: password ?? '' } };
}
