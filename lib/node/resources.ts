import type { KeyObject } from 'node:crypto';
import type { JwtSettings } from '../config/jwt-settings.ts';
import type { FurtherCallers } from '../config/caller-keys.ts';
import type { DatabaseService } from '../config/service-names.ts';
import { StartupError } from '../config/startup-error.ts';

/** How one service connects to its database. */
export interface ServiceDatabase {
  /** Connects with the service's own login role, which may use only its tables. */
  url: string;
  /**
   * Connects to the same database as an administrator, for migrations, which begin with `SET ROLE <ownerRole>`. Absent if
   * only the service's own URL is known; then the service migrates with its own role.
   */
  migrationUrl?: string;
  /** The NOLOGIN role that owns the schema; present if `migrationUrl` is. */
  ownerRole?: string;
}

/** The secrets of this process, from the settings or, in development, from the files under DATA_DIR. */
export interface ResolvedSecrets {
  /** In development, `jwt.secret` is set if no other key is. */
  jwt: JwtSettings;
  /** @throws StartupError if it is read in a production process without one */
  readonly pinPepper: string;
  /** Another pepper with which PINs may be hashed, while `pinPepper` is replaced. */
  readonly secondPinPepper?: string | undefined;
  /**
   * An absolute path. In development, membership creates the file.
   * @throws StartupError as `pinPepper` does
   */
  readonly pinKeysFile: string;
  /**
   * Returns the keys for statements of callers to this service: the first signs, all verify.
   * @throws StartupError as `pinPepper` does
   */
  readonly callerKeys: (service: string) => KeyObject[];
  readonly furtherCallers: FurtherCallers;
  /** Makes the value of a variable that only a further service has; undefined in production. */
  readonly makeSecret?: ((variable: string) => string) | undefined;
}

/** The servers, databases and secrets of a process, given by the settings or started by it. */
export interface Resources {
  /** Has the form of NATS_URL, with credentials; natsConnectOptions() reads it. */
  natsUrl: string;
  /** The databases of the services that this process runs. */
  databases: Partial<Record<DatabaseService, ServiceDatabase>>;
  secrets: ResolvedSecrets;
}

/**
 * Returns the database of `service`.
 * @throws StartupError if this process was not given one
 */
export function databaseOf(resources: Pick<Resources, 'databases'>, service: DatabaseService): ServiceDatabase {
  const database = resources.databases[service];
  if (database === undefined) {
    throw new StartupError(`No database for ${service}: set ${service.toUpperCase()}_DATABASE_URL or POSTGRES_URL.`);
  }
  return database;
}
