import { escapeIdentifier } from 'pg';
import { provision, withDatabase } from '../../lib/embedded/provision.ts';
import type { ServiceDatabase } from '../../lib/node/resources.ts';
import { adminUrl, withClient, madeOnce } from './servers.ts';

export interface TestDatabase extends Required<ServiceDatabase> {
  /** Drops the database; fails if a connection is still open, because that is a leak. */
  drop(): Promise<void>;
}

export type Migrate = (database: Required<ServiceDatabase>) => Promise<void>;

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
    // The server waits 5 s for the last connections to close.
    drop: () =>
      withClient(
        adminUrl(),
        async (admin) => void (await admin.query(`DROP DATABASE IF EXISTS ${escapeIdentifier(name)}`)),
      ),
  };
}
