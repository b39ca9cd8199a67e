import { rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableService } from '../../lib/config/service-names.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import type { Deployment } from '../harness/cluster.ts';
import { withClient } from '../harness/servers.ts';

type Place = Pick<Deployment, 'adminUrl' | 'dataDir'>;

/** Runs statements in the database of a service, as administrator. */
function run({ adminUrl }: Place, service: TableService, ...statements: string[]): Promise<void> {
  return withClient(withDatabase(adminUrl, defaultDatabaseName(service)), async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

/** Ends the sessions, because sessions keep the settings that they began with. */
const endSessionsOf = (service: TableService) =>
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${service}'`;

/** Makes the database of a service read-only. @returns a function that ends this */
export async function makeReadOnly(place: Place, service: TableService): Promise<() => Promise<void>> {
  const alter = `ALTER DATABASE ${defaultDatabaseName(service)}`;
  await run(place, service, `${alter} SET default_transaction_read_only = on`, endSessionsOf(service));
  return () =>
    run(place, service, 'SET default_transaction_read_only = off', `${alter} RESET default_transaction_read_only`);
}

/** Refuses connections of a service. @returns a function that ends this */
export async function refuseConnections(place: Place, service: TableService): Promise<() => Promise<void>> {
  await run(place, service, `ALTER ROLE ${service} CONNECTION LIMIT 0`, endSessionsOf(service));
  return () => run(place, service, `ALTER ROLE ${service} CONNECTION LIMIT -1`);
}

/**
 * Fills the disk for the treasury's transfers. A test without root cannot fill a disk. Instead, each new transfer also writes
 * to a table whose file is /dev/full, where the kernel refuses writes with ENOSPC as on a full disk.
 * @returns a function that ends this
 */
export async function fillDisk(place: Place): Promise<() => Promise<void>> {
  await run(place, 'treasury', 'CREATE TABLE growth (transfer_id uuid)', 'CHECKPOINT');
  const file = await fileOf(place, 'growth');
  await rename(file, `${file}.kept`);
  await symlink('/dev/full', file);
  // Only now, as PostgreSQL takes it for damage if the file of a page that it has in memory becomes empty.
  await run(
    place,
    'treasury',
    `CREATE FUNCTION grow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS
       'BEGIN INSERT INTO growth VALUES (NEW.id); RETURN NULL; END'`,
    'CREATE TRIGGER grow AFTER INSERT ON transfers FOR EACH ROW EXECUTE FUNCTION grow()',
    endSessionsOf('treasury'),
  );
  return async () => {
    await rm(file);
    await rename(`${file}.kept`, file);
    await run(
      place,
      'treasury',
      endSessionsOf('treasury'),
      'DROP TRIGGER grow ON transfers',
      'DROP FUNCTION grow()',
      'DROP TABLE growth',
    );
  };
}

/** Long enough for a settlement to begin meanwhile. */
const DUE_DELAY_S = 0.3;

/**
 * Makes payments slow after they have read their meeting, and before they take their due: a settlement of the meeting then
 * often comes in between.
 * @param percent how many of the payments
 * @returns a function that ends this
 */
export async function slowDues(place: Place, percent: number): Promise<() => Promise<void>> {
  const name = `slow_${String(percent)}_percent`;
  await run(
    place,
    'contribution',
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN
          IF random() * 100 < ${String(percent)} THEN PERFORM pg_sleep(${String(DUE_DELAY_S)}); END IF;
          RETURN NEW;
        END'`,
    `CREATE TRIGGER ${name} BEFORE INSERT OR UPDATE OF taken_minor ON dues FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  );
  return () => run(place, 'contribution', `DROP TRIGGER ${name} ON dues`, `DROP FUNCTION ${name}()`);
}

async function fileOf({ adminUrl, dataDir }: Place, table: string): Promise<string> {
  return withClient(withDatabase(adminUrl, defaultDatabaseName('treasury')), async (client) => {
    const { rows } = await client.query<{ file: string }>('SELECT pg_relation_filepath($1) AS file', [table]);
    return join(dataDir, 'postgres', rows[0]!.file);
  });
}
