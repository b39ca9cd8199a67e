import { createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOnce } from '../files/create-once.ts';
import {
  forTableServices,
  isTableService,
  TABLE_SERVICES,
  type DatabaseService,
  type TableService,
} from './service-names.ts';
import { StartupError } from './startup-error.ts';

/** The secrets of a development machine, created at its first start. In production, they are settings. */
export interface DevelopmentSecrets {
  jwtSecret: string;
  pinPepper: string;
  /** The password of the embedded PostgreSQL's superuser. */
  postgresPassword: string;
  /** The passwords of the services' login roles. */
  databasePasswords: Record<TableService, string>;
  /** The password of the embedded NATS server's only user. */
  natsPassword: string;
}

// 256 bits: as strong as the HMACs for which the secrets are keys.
const SECRET_BYTES = 32;

/** Returns the path of the file in which membership keeps the PIN keys that it creates for development. */
export function pinKeysFile(dataDir: string): string {
  return join(dataDir, 'pin-keys.json');
}

/** Returns the path of the file with the secrets. */
export function secretsFile(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}

/** Returns a new secret, in base64url: it needs no escaping in URLs and configuration files. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Reads DATA_DIR/secrets.json (mode 0600), or creates it. Processes that start together all get the same secrets.
 * @throws StartupError if the directory cannot be written or the file is damaged
 */
export async function loadOrCreateSecrets(dataDir: string): Promise<DevelopmentSecrets> {
  const path = secretsFile(dataDir);
  let content: string;
  try {
    await createOnce(path, () => JSON.stringify(newSecrets(), null, 2));
    content = await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(
      `Cannot keep development secrets in ${dataDir} (${(error as Error).message}): set DATA_DIR to a directory you can write to.`,
    );
  }
  const secrets = parse(content);
  if (secrets !== undefined) return secrets;
  throw new StartupError(`${path} is damaged: restore it, or delete its directory to start from nothing.`);
}

/** Returns the key for statements of callers to a service. A DATA_DIR of 0.1.0 has none, so it is derived. */
export function developmentCallerKey({ jwtSecret }: DevelopmentSecrets, service: string): string {
  return createHmac('sha256', jwtSecret).update(`caller key of ${service}`).digest('base64url');
}

/** Returns a secret that only a further service has. */
export function developmentSecret({ jwtSecret }: DevelopmentSecrets, variable: string): string {
  return createHmac('sha256', jwtSecret).update(`secret ${variable}`).digest('base64url');
}

/** Returns the password of a service's login role. A DATA_DIR of 0.1.0 has none for further services, so theirs are derived. */
export function developmentDatabasePassword(secrets: DevelopmentSecrets, service: DatabaseService): string {
  if (isTableService(service)) return secrets.databasePasswords[service];
  return createHmac('sha256', secrets.postgresPassword).update(`login ${service}`).digest('base64url');
}

function parse(content: string): DevelopmentSecrets | undefined {
  try {
    const value = JSON.parse(content) as DevelopmentSecrets;
    const { jwtSecret, pinPepper, postgresPassword, natsPassword, databasePasswords } = value;
    const all: unknown[] = [jwtSecret, pinPepper, postgresPassword, natsPassword];
    all.push(...TABLE_SERVICES.map((service) => databasePasswords[service]));
    return all.every((secret) => typeof secret === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

function newSecrets(): DevelopmentSecrets {
  return {
    jwtSecret: newSecret(),
    pinPepper: newSecret(),
    postgresPassword: newSecret(),
    databasePasswords: forTableServices(newSecret),
    natsPassword: newSecret(),
  };
}
