import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forTableServices, type TableService } from './service-names.ts';
import { StartupError } from './startup-error.ts';

/** The secrets of a development machine, made at its first start. Production brings its own. */
export interface DevelopmentSecrets {
  jwtSecret: string;
  pinPepper: string;
  /** Of the embedded Postgres' superuser. */
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

/**
 * Reads DATA_DIR/secrets.json (mode 0600), or makes it. Processes that start together all get the same secrets.
 * @throws {StartupError} when the directory cannot be written or the file is damaged.
 */
export async function loadOrCreateSecrets(dataDir: string): Promise<DevelopmentSecrets> {
  const path = join(dataDir, 'secrets.json');
  try {
    return (await readSecrets(path)) ?? (await createSecrets(dataDir, path));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(
      `Cannot keep development secrets in ${dataDir} (${reason}): set DATA_DIR to a directory of yours.`,
    );
  }
}

async function createSecrets(dataDir: string, path: string): Promise<DevelopmentSecrets> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${String(process.pid)}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, JSON.stringify(newSecrets(), null, 2), { mode: 0o600, flag: 'wx', flush: true });
  try {
    // A link appears whole and only where nothing is: of several processes one wins, and the others read its secrets.
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const secrets = await readSecrets(path);
  if (secrets === undefined) throw new StartupError(`${path} vanished while it was read: start again.`);
  return secrets;
}

async function readSecrets(path: string): Promise<DevelopmentSecrets | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const secrets = parse(text);
  if (secrets === undefined) {
    throw new StartupError(`${path} is damaged: restore it, or delete its directory to start from nothing.`);
  }
  return secrets;
}

function parse(text: string): DevelopmentSecrets | undefined {
  try {
    const value = JSON.parse(text) as Partial<DevelopmentSecrets>;
    const strings = [
      value.jwtSecret,
      value.pinPepper,
      value.postgresPassword,
      value.natsPassword,
      ...Object.values(forTableServices((service) => value.databasePasswords?.[service])),
    ];
    return strings.every((secret) => typeof secret === 'string') ? (value as DevelopmentSecrets) : undefined;
  } catch {
    return undefined;
  }
}

function newSecrets(): DevelopmentSecrets {
  // base64url needs no escaping in URLs and configuration files.
  const secret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
  return {
    jwtSecret: secret(),
    pinPepper: secret(),
    postgresPassword: secret(),
    databasePasswords: forTableServices(secret),
    natsPassword: secret(),
  };
}
