import { escapeIdentifier } from 'pg';
import { provision } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import type { ServiceDatabase } from '../../lib/node/resources.ts';
import { eventually } from './eventually.ts';
import { adminUrl, withClient, madeOnce } from './servers.ts';

export interface TestDatabase extends Required<ServiceDatabase> {
  /**
   * Ends its use; fails if a connection is still open, because that is a leak. The database exists until the end of the
   * run: on some file systems, files are created slowly while many others are being deleted.
   */
  release(): Promise<void>;
}

export type Migrate = (database: Required<ServiceDatabase>) => Promise<void>;

/** Maximum time until the server has noticed that the last connections were closed. */
const CLOSE_MAX_MS = 5_000;

let clones = 0;

/**
 * Creates a migrated database for a test file, with the roles of `service`. The first call of a run migrates a
 * template; each call clones it, which takes about 30 ms.
 */
export async function createTestDatabase(service: string, migrate: Migrate): Promise<TestDatabase> {
  const source = `template_${service}`;
  const login = `${source}_login`;
  const { url, ownerRole } = await madeOnce(source, async () => {
    const { made } = await provision(adminUrl(), {
      made: { database: source, login: { name: login, password: 'test' } },
    });
    await migrate(made);
    return made;
  });
  clones += 1;
  const name = `${service}_${String(process.pid)}_${String(clones)}`;
  await withClient(adminUrl(), async (admin) => {
    const [clone, template, owner, user] = [name, source, ownerRole, login].map(escapeIdentifier);
    // Copying files takes a third of the time of the default, which writes each page to the WAL.
    await admin.query(`CREATE DATABASE ${clone} TEMPLATE ${template} OWNER ${owner} STRATEGY FILE_COPY`);
    // CREATE DATABASE does not clone privileges.
    await admin.query(`REVOKE ALL ON DATABASE ${clone} FROM PUBLIC`);
    await admin.query(`GRANT CONNECT ON DATABASE ${clone} TO ${user}`);
  });
  return {
    url: withDatabase(url, name),
    migrationUrl: withDatabase(adminUrl(), name),
    ownerRole,
    release: () =>
      withClient(adminUrl(), (admin) =>
        eventually(async () => {
          const { rows } = await admin.query('SELECT state, query FROM pg_stat_activity WHERE datname = $1', [name]);
          if (rows.length > 0) throw new Error(`Connections to ${name} are still open: ${JSON.stringify(rows)}`);
        }, CLOSE_MAX_MS),
      ),
  };
}
