import type { JwtSettings } from '../config/jwt-settings.ts';
import type { TableService } from '../config/service-names.ts';
import { StartupError } from '../config/startup-error.ts';

/** How one service connects to its database. */
export interface ServiceDatabase {
  /** Connects with the service's own login role, which may use its tables and nothing else. */
  url: string;
  /**
   * Connects to the same database as an administrator, for migrations: do `SET ROLE <ownerRole>` first. Absent where
   * only the service's own URL is known; the service then migrates with its own role.
   */
  migrationUrl?: string;
  /** The NOLOGIN role that owns the schema; present when `migrationUrl` is. */
  ownerRole?: string;
}

/** The secrets of this process, from the settings or, in development, from the files under DATA_DIR. */
export interface ResolvedSecrets {
  /** In development `jwt.secret` is set when no other key is. */
  jwt: JwtSettings;
  /** @throws {StartupError} when read in a production process that was not given one. */
  readonly pinPepper: string;
  /** Absolute path; membership makes the file in development. Throws as `pinPepper` does. */
  readonly pinKeysFile: string;
}

/** What a process was given or has started: servers, databases, secrets. */
export interface Resources {
  /** NATS_URL's form, credentials included; `natsConnectOptions` reads it. */
  natsUrl: string;
  /** Only those of the services that this process runs, or all where one process runs everything. */
  databases: Partial<Record<TableService, ServiceDatabase>>;
  secrets: ResolvedSecrets;
}

/**
 * The database of `service`.
 * @throws {StartupError} when this process was not given one.
 */
export function databaseOf(resources: Pick<Resources, 'databases'>, service: TableService): ServiceDatabase {
  const database = resources.databases[service];
  if (database === undefined) {
    throw new StartupError(`No database for ${service}: set ${service.toUpperCase()}_DATABASE_URL or POSTGRES_URL.`);
  }
  return database;
}
