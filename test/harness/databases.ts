import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import { provision, withDatabase } from '../../lib/embedded/provision.ts';
import type { ServiceDatabase } from '../../lib/node/resources.ts';
import { adminUrl } from './servers.ts';

export interface TestDatabase extends Required<ServiceDatabase> {
  /** Drops the database; fails when a connection to it was left open, for that is a leak. */
  drop(): Promise<void>;
}

export type Migrate = (database: Required<ServiceDatabase>) => Promise<void>;

interface Template extends Required<ServiceDatabase> {
  name: string;
  login: string;
}

// Roles and databases of runs that share a server must not meet.
const run = `t${String(process.pid)}_${randomBytes(3).toString('hex')}`;
const templates = new Map<string, Promise<Template>>();
let clones = 0;

/**
 * A database of its own for one test file, with the roles of `service` and migrated. The first call of a run migrates
 * a template; each call clones it, which takes some 50 ms.
 */
export async function createTestDatabase(service: string, migrate: Migrate): Promise<TestDatabase> {
  let template = templates.get(service);
  if (template === undefined) {
    template = makeTemplate(service, migrate);
    templates.set(service, template);
  }
  const { name: source, login, url, ownerRole } = await template;
  clones += 1;
  const name = `${source}_${String(clones)}`;
  await asAdmin(async (admin) => {
    await admin.query(
      `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(source)} OWNER ${escapeIdentifier(ownerRole)}`,
    );
    // Who may connect is not cloned.
    await admin.query(`REVOKE ALL ON DATABASE ${escapeIdentifier(name)} FROM PUBLIC`);
    await admin.query(`GRANT CONNECT ON DATABASE ${escapeIdentifier(name)} TO ${escapeIdentifier(login)}`);
  });
  return {
    url: withDatabase(url, name),
    migrationUrl: withDatabase(adminUrl(), name),
    ownerRole,
    // The server itself waits 5 s for the last connections to go.
    drop: () =>
      asAdmin(async (admin) => {
        await admin.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)}`);
      }),
  };
}

/** Removes what the run has left on a server that outlives it. */
export async function dropTemplates(): Promise<void> {
  if (templates.size === 0) return;
  const made = await Promise.allSettled(templates.values());
  await asAdmin(async (admin) => {
    const { rows } = await admin.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [run],
    );
    for (const { datname } of rows) await admin.query(`DROP DATABASE ${escapeIdentifier(datname)} WITH (FORCE)`);
    for (const template of made) {
      if (template.status === 'rejected') continue;
      for (const role of [template.value.login, template.value.ownerRole]) {
        await admin.query(`DROP ROLE ${escapeIdentifier(role)}`);
      }
    }
  });
}

async function makeTemplate(service: string, migrate: Migrate): Promise<Template> {
  const name = `${run}_${service}`;
  const login = `${name}_login`;
  const wish = { database: name, login: { name: login, password: randomBytes(12).toString('hex') } };
  const { made } = await provision(adminUrl(), { made: wish });
  await migrate(made);
  return { name, login, ...made };
}

async function asAdmin(work: (admin: Client) => Promise<void>): Promise<void> {
  const admin = new Client({ connectionString: adminUrl() });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
