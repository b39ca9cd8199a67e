import { createHmac, pbkdf2Sync, createHash, randomBytes } from 'node:crypto';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { withDatabase, withLogin } from '../config/server-urls.ts';
import type { DatabaseService } from '../config/service-names.ts';
import { StartupError } from '../config/startup-error.ts';
import { HALF_OPEN_ENDS } from '../db/pool-settings.ts';
import type { ServiceDatabase } from '../node/resources.ts';

/** The database and login role that one service needs on a PostgreSQL server. */
export interface DatabaseSpec {
  database: string;
  login: { name: string; password: string };
  /** Whether the login owns the database and migrates it. Otherwise a role without a login does. */
  isOwner?: boolean;
}

// An arbitrary number. With this lock, processes that provision concurrently do it one after another.
const PROVISION_LOCK_ID = 7_241_530_118;
// Another process needs one or two seconds for four databases.
const LOCK_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
// Since this version, the schema `public` belongs to the database's owner, and not every role may create objects in it.
const MIN_SERVER_VERSION = 150_000;
// The first version with the built-in locale provider.
const BUILTIN_LOCALE_VERSION = 170_000;
// PostgreSQL's own default (scram_iterations).
const SCRAM_ITERATIONS = 4_096;

/** Returns the name of the database for a service without a *_DATABASE_URL. */
export function defaultDatabaseName(service: DatabaseService): string {
  return `association_${service}`;
}

/**
 * Creates missing databases and roles. It is safe to repeat, and to run in several processes concurrently. Each database
 * belongs to a role `<database>_owner` without a login, except those of further services. The login role may connect only to its own database, and may use its
 * schema but not change it. The migrations grant its privileges on tables.
 * @param ownServer whether nothing else uses the server: then the login roles may not enter its `postgres` database either
 * @throws StartupError if the server is too old, or the administrator lacks a privilege
 */
export async function provision<Name extends string>(
  adminUrl: string,
  specs: Record<Name, DatabaseSpec>,
  { ownServer = false } = {},
): Promise<Record<Name, Required<ServiceDatabase>>> {
  const list = Object.entries(specs) as [Name, DatabaseSpec][];
  await withClient(adminUrl, async (admin) => {
    await admin.query(`SET lock_timeout = ${String(LOCK_TIMEOUT_MS)}`);
    await admin.query('SELECT pg_advisory_lock($1)', [PROVISION_LOCK_ID]);
    const server = await aboutServer(admin);
    for (const [, spec] of list) await makeDatabase(admin, server, spec);
    if (ownServer) await admin.query('REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC');
    await Promise.all(list.map(([, spec]) => closeSchema(adminUrl, spec)));
  });
  const databases = list.map(([name, spec]) => [
    name,
    {
      url: withLogin(withDatabase(adminUrl, spec.database), { user: spec.login.name, password: spec.login.password }),
      migrationUrl: withDatabase(adminUrl, spec.database),
      ownerRole: ownerOf(spec),
    },
  ]);
  return Object.fromEntries(databases) as Record<Name, Required<ServiceDatabase>>;
}

/**
 * Derives the passwords of the login roles from the administrator's URL, so that every machine with the URL has the same
 * ones: with random passwords, the start of one machine would lock out the others.
 * @returns undefined if the URL has no password
 */
export function derivedPasswords(adminUrl: string): ((service: DatabaseService) => string) | undefined {
  const key = decodeURIComponent(new URL(adminUrl).password);
  if (key === '') return undefined;
  return (role) => createHmac('sha256', key).update(`association-service login ${role}`).digest('base64url');
}

interface AboutServer {
  version: number;
  admin: string;
  isSuperuser: boolean;
}

async function aboutServer(admin: Client): Promise<AboutServer> {
  const { rows } = await admin.query<AboutServer>(
    `SELECT current_setting('server_version_num')::int AS version, rolname AS admin, rolsuper AS "isSuperuser"
       FROM pg_roles WHERE rolname = current_user`,
  );
  const [about] = rows;
  if (about === undefined || about.version < MIN_SERVER_VERSION) {
    throw new StartupError('The Postgres server is too old: version 15 or later is needed.');
  }
  return about;
}

async function makeDatabase(admin: Client, server: AboutServer, spec: DatabaseSpec): Promise<void> {
  const { database, login } = spec;
  const owner = escapeIdentifier(ownerOf(spec));
  const isNew = !(await hasRole(admin, ownerOf(spec)));
  if (isNew && spec.isOwner !== true) await admin.query(`CREATE ROLE ${owner} NOLOGIN`);
  // If a service uses the administrator's name, the password stays.
  if (login.name !== server.admin) await setLogin(admin, login);
  // Only a superuser may give a database to a role without being a member of the role.
  if (isNew && !server.isSuperuser) await admin.query(`GRANT ${owner} TO CURRENT_USER`);
  const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [database]);
  if (rowCount === 0) {
    const locale =
      server.version >= BUILTIN_LOCALE_VERSION ? `LOCALE 'C' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'` : '';
    await admin.query(
      `CREATE DATABASE ${escapeIdentifier(database)} OWNER ${owner} TEMPLATE template0 ENCODING 'UTF8' ${locale}`,
    );
  }
  await admin.query(`REVOKE ALL ON DATABASE ${escapeIdentifier(database)} FROM PUBLIC`);
  await admin.query(`GRANT CONNECT ON DATABASE ${escapeIdentifier(database)} TO ${escapeIdentifier(login.name)}`);
}

async function setLogin(admin: Client, { name, password }: DatabaseSpec['login']): Promise<void> {
  const verb = (await hasRole(admin, name)) ? 'ALTER' : 'CREATE';
  const secret = password === '' ? '' : `PASSWORD ${escapeLiteral(scramVerifier(password))}`;
  await admin.query(`${verb} ROLE ${escapeIdentifier(name)} LOGIN ${secret}`);
}

async function hasRole(admin: Client, role: string): Promise<boolean> {
  return (await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [role])).rowCount === 1;
}

async function closeSchema(adminUrl: string, spec: DatabaseSpec): Promise<void> {
  const { database, login } = spec;
  await withClient(withDatabase(adminUrl, database), async (client) => {
    await client.query(`ALTER SCHEMA public OWNER TO ${escapeIdentifier(ownerOf(spec))}`);
    await client.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
    await client.query(`GRANT USAGE ON SCHEMA public TO ${escapeIdentifier(login.name)}`);
  });
}

/** Computes what the server stores for SCRAM-SHA-256 (RFC 5803), so that the password never occurs in its logs. */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256');
  const key = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${String(SCRAM_ITERATIONS)}:${salt.toString('base64')}$${stored}:${key('Server Key').toString('base64')}`;
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    options: HALF_OPEN_ENDS,
  });
  // A query on a lost connection fails. Without a listener, the loss would also end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function ownerOf({ database, login, isOwner = false }: DatabaseSpec): string {
  return isOwner ? login.name : `${database}_owner`;
}
