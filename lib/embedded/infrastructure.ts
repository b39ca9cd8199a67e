import { developmentDatabasePassword, loadOrCreateSecrets, type DevelopmentSecrets } from '../config/secrets.ts';
import {
  ALL_SERVICES,
  hasDatabase,
  TABLE_SERVICES,
  type AnyService,
  type DatabaseService,
} from '../config/service-names.ts';
import type { Settings } from '../config/settings.ts';
import { StartupError } from '../config/startup-error.ts';
import { serviceVariable } from '../config/variables.ts';
import { deleteEndpoints, lockDataDir, readEndpoints, writeEndpoints } from './data-dir.ts';
import {
  databasesAreGiven,
  furtherWithDatabases,
  givenDatabases,
  makeDatabases,
  type ServiceDatabases,
} from './databases.ts';
import { findNatsServer } from './nats-binary.ts';
import { startNatsServer } from './nats-server.ts';
import { startPostgres } from './postgres.ts';
import { probeDatabase, probeNats, refuseOpenNats } from './probe.ts';
import type { EmbeddedServer } from './server-process.ts';

/** The servers that the services use: named in the settings, or run by this process. */
export interface Infrastructure {
  natsUrl: string;
  /** The databases of the requested services. */
  databases: ServiceDatabases;
  /** An administrator's URL; absent if only the services' own URLs are known. */
  adminUrl?: string | undefined;
  /** Stops the servers that this process runs, and resolves when they have ended. May be called again. */
  stop(): Promise<void>;
}

/** The dependencies of the start of an embedded server. */
interface EmbeddedContext {
  settings: Settings;
  secrets: DevelopmentSecrets;
  log: (line: string) => void;
  onCrash: (line: string) => void;
  /** The running servers. Each is added as soon as it runs, so that it is stopped if a later step fails. */
  embedded: EmbeddedServer[];
}

/**
 * Connects to the PostgreSQL and NATS of the settings. For those that are not set, starts embedded servers with their data
 * under DATA_DIR.
 * @param log prints a line for people, such as the name of a file that is downloaded
 * @param onCrash called with one line when an embedded server ends unexpectedly. The services cannot work without it, so the
 *   process should be stopped
 * @throws StartupError if that fails; then no server is left running
 */
export async function startInfrastructure(
  settings: Settings,
  log: (line: string) => void,
  onCrash = log,
): Promise<Infrastructure> {
  if (settings.natsUrl !== undefined && databasesAreGiven(settings, TABLE_SERVICES)) {
    return attachInfrastructure(settings, withFurther(settings));
  }
  const { dataDir } = settings;
  const lock = await lockDataDir(dataDir);
  const embedded: EmbeddedServer[] = [];
  const stopAll = async (): Promise<void> => {
    await deleteEndpoints(dataDir);
    await Promise.all(embedded.map((server) => server.stop()));
    lock.release();
  };
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= stopAll());
  try {
    await deleteEndpoints(dataDir);
    const context = { settings, secrets: await loadOrCreateSecrets(dataDir), log, onCrash, embedded };
    // Waits for both, even if one fails: only a start that has ended can be undone.
    const [nats, postgres] = await Promise.allSettled([startNats(context), startDatabases(context)]);
    if (nats.status === 'rejected') throw nats.reason;
    if (postgres.status === 'rejected') throw postgres.reason;
    const found = { natsUrl: nats.value, ...postgres.value };
    await writeEndpoints(dataDir, found);
    return { ...found, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Returns the servers for a process that runs some of the services: those of the settings, and otherwise those that another
 * process on this machine runs under the same DATA_DIR.
 * @throws StartupError if there are none, or they cannot be reached
 */
export async function attachInfrastructure(
  settings: Settings,
  services: readonly AnyService[] = ALL_SERVICES,
): Promise<Infrastructure> {
  const found = await readEndpoints(settings.dataDir);
  const natsUrl = settings.natsUrl ?? found?.natsUrl;
  if (natsUrl === undefined) {
    throw new StartupError('No NATS server: set NATS_URL, or run npm start or npm run infra in another terminal.');
  }
  const databases = await attachDatabases(settings, services.filter(hasDatabase));
  await checkNats(settings, natsUrl);
  const adminUrl = settings.postgresUrl ?? found?.adminUrl;
  return { natsUrl, databases, adminUrl, stop: () => Promise.resolve() };
}

/**
 * Returns the databases of services: those of the settings, and otherwise those that another process on this machine runs under
 * the same DATA_DIR.
 * @throws StartupError if there are none, or they cannot be reached
 */
export async function attachDatabases(
  settings: Settings,
  services: readonly DatabaseService[],
): Promise<ServiceDatabases> {
  const databases = await givenDatabases(settings, services);
  const found = await readEndpoints(settings.dataDir);
  for (const service of services.filter((each) => databases[each] === undefined)) {
    const database = found?.databases[service];
    if (database === undefined) {
      const variable = serviceVariable('SERVICE_DATABASE_URL', service);
      throw new StartupError(
        `No database for ${service}: set ${variable} or POSTGRES_URL, or run npm start or npm run infra in another terminal.`,
      );
    }
    await probeDatabase('DATA_DIR', database.url);
    databases[service] = database;
  }
  return databases;
}

function withFurther(settings: Settings): DatabaseService[] {
  return [...TABLE_SERVICES, ...furtherWithDatabases(settings)];
}

async function checkNats(settings: Settings, natsUrl: string): Promise<void> {
  if (settings.production) await refuseOpenNats(natsUrl);
  await probeNats(settings.natsUrl === undefined ? 'DATA_DIR' : 'NATS_URL', natsUrl);
}

async function startNats({ settings, secrets, log, onCrash, embedded }: EmbeddedContext): Promise<string> {
  const { natsUrl, dataDir } = settings;
  if (natsUrl !== undefined) {
    await checkNats(settings, natsUrl);
    return natsUrl;
  }
  const binary = await findNatsServer(log);
  const server = await startNatsServer(binary, { dataDir, password: secrets.natsPassword, onCrash });
  embedded.push(server);
  return server.url;
}

async function startDatabases(context: EmbeddedContext): Promise<Pick<Infrastructure, 'databases' | 'adminUrl'>> {
  const { settings, secrets, log, onCrash, embedded } = context;
  const services = withFurther(settings);
  if (databasesAreGiven(settings, services)) {
    return { databases: await givenDatabases(settings, services), adminUrl: settings.postgresUrl };
  }
  if (settings.given.has('DATABASE_URL')) {
    log('DATABASE_URL is not used: set POSTGRES_URL to use your own server. The databases are now under DATA_DIR.');
  }
  const { dataDir } = settings;
  const server = await startPostgres({ dataDir, password: secrets.postgresPassword, onCrash });
  embedded.push(server);
  const databases = await makeDatabases(settings, services, {
    variable: 'DATA_DIR',
    adminUrl: server.url,
    passwordOf: (service) => developmentDatabasePassword(secrets, service),
  });
  return { databases, adminUrl: server.url };
}
