import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createOnce } from '../files/create-once.ts';
import { forTableServices, TABLE_SERVICES, type TableService } from './service-names.ts';
import { StartupError } from './startup-error.ts';

/** The secrets of a development machine, made at its first start. Production brings its own. */
export interface DevelopmentSecrets {
  jwtSecret: string;
  pinPepper: string;
  /** Of the embedded PostgreSQL's superuser. */
  postgresPassword: string;
  /** Of the services' login roles. */
  databasePasswords: Record<TableService, string>;
  /** Of the embedded NATS server's only user. */
  natsPassword: string;
}

// 256 bits: as strong as the HMACs that the secrets key.
const SECRET_BYTES = 32;

/** Where membership keeps the PIN keys that it makes for development. */
export function pinKeysFile(dataDir: string): string {
  return join(dataDir, 'pin-keys.json');
}

/** A new secret. base64url needs no escaping in URLs and configuration files. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/**
 * Reads DATA_DIR/secrets.json (mode 0600), or makes it. Processes that start together all get the same secrets.
 * @throws {StartupError} when the directory cannot be written or the file is damaged.
 */
export async function loadOrCreateSecrets(dataDir: string): Promise<DevelopmentSecrets> {
  const path = join(dataDir, 'secrets.json');
  let content: string;
  try {
    await createOnce(path, () => JSON.stringify(newSecrets(), null, 2));
    content = await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError(
      `Cannot keep development secrets in ${dataDir} (${(error as Error).message}): set DATA_DIR to a directory of yours.`,
    );
  }
  const secrets = parse(content);
  if (secrets !== undefined) return secrets;
  throw new StartupError(`${path} is damaged: restore it, or delete its directory to start from nothing.`);
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
