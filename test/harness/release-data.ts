import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { escapeIdentifier, type Client } from 'pg';
import { loadOrCreateSecrets } from '../../lib/config/secrets.ts';
import { TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import type { ClusterData } from './cluster.ts';
import { migrationsSince, releaseFile } from './releases.ts';
import { withClient } from './servers.ts';

/** The data set of the last release; test/fixtures/releases/make.ts has made it. */
export interface ReleaseData {
  made_at: string;
  secrets: { jwtSecret: string; pinPepper: string };
  groups: { path: string; user: string }[];
  /** Requests that were interrupted, with the answer of the last release to their repeat. */
  requests: InterruptedRequest[];
  /** The second page of a list, as the last release has named it, with a token that it has accepted. */
  page: { token: string; path: string; ids: string[] };
}

export interface InterruptedRequest {
  user: string;
  title: string;
  key: string;
  method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  path: string;
  body: Record<string, unknown>;
  pin: boolean;
  answer: { status: number; code: string | null };
}

type Rows = Record<TableService, Record<string, string[]>>;

const readJson = (file: string): unknown => JSON.parse(readFileSync(releaseFile(file), 'utf8'));
const readCompressed = (file: string): unknown =>
  JSON.parse(brotliDecompressSync(readFileSync(releaseFile(file))).toString());

export const readReleaseData = (): ReleaseData => readJson('data.json') as ReleaseData;
/** Returns the rows of every table when the last release was interrupted, as texts of JSON objects. */
export const readRows = (): Rows => readCompressed('rows.json.br') as Rows;
/** Returns what the last release made of them. */
export const readExpectedOutcome = () => readCompressed('outcome.json.br') as Record<string, string[]>;

/** Returns the data of the last release for a cluster. */
export async function releaseClusterData({ secrets, made_at }: ReleaseData): Promise<ClusterData> {
  const dataDir = await mkdtemp(join(tmpdir(), 'association-release-'));
  const created = await loadOrCreateSecrets(dataDir);
  await writeFile(join(dataDir, 'secrets.json'), JSON.stringify({ ...created, ...secrets }));
  const rows = readRows();
  return {
    dataDir,
    now: made_at,
    async fill(databases, adminUrl) {
      for (const service of TABLE_SERVICES) {
        await migrate(databases[service]!, (await migrationsSince(service)).released);
        const url = withDatabase(adminUrl, defaultDatabaseName(service));
        await withClient(url, (admin) => insertRows(admin, rows[service]));
      }
    },
  };
}

async function insertRows(admin: Client, tables: Record<string, string[]>): Promise<void> {
  // Rows come without triggers and in any order of tables, as from a backup.
  await admin.query('SET session_replication_role = replica');
  await admin.query(`TRUNCATE ${Object.keys(tables).map(escapeIdentifier).join()}`);
  for (const [name, rows] of Object.entries(tables)) {
    const table = escapeIdentifier(name);
    await admin.query(
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${table}, $1)`,
      [`[${rows.join()}]`],
    );
  }
  await admin.query(CONTINUE_IDENTITIES);
}

/** Lets generated numbers continue after the highest one. */
const CONTINUE_IDENTITIES = `
  DO $$
  DECLARE identity record;
  BEGIN
    FOR identity IN
      SELECT c.relname AS name, a.attname AS number FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      WHERE a.attidentity <> '' AND c.relnamespace = 'public'::regnamespace
    LOOP
      EXECUTE format(
        'SELECT setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 0) + 1, false) FROM %I',
        identity.name, identity.number, identity.number, identity.name);
    END LOOP;
  END $$`;
