import { Client } from 'pg';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { contributionDatabase, treasuryDatabase } from '../harness/service-internals.ts';

/** As in a plain application, the login role owns both schemas. */
const DATABASE = 'plain';

/**
 * Creates a database with the tables of contribution and of treasury, each in a schema of that name. The search path is
 * `treasury`, because the ledger's triggers name their tables without a schema.
 * @returns its URL
 */
export async function makePlainDatabase(adminUrl: string): Promise<string> {
  const url = withDatabase(adminUrl, DATABASE);
  // The options of the services' databases.
  await run(adminUrl, `CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8' ${await localeOf(adminUrl)}`);
  for (const [schema, { migrations }] of [
    ['contribution', contributionDatabase],
    ['treasury', treasuryDatabase],
  ] as const) {
    await run(url, `CREATE SCHEMA ${schema}`);
    await run(adminUrl, `ALTER DATABASE ${DATABASE} SET search_path = ${schema}`);
    await migrate({ url }, migrations);
  }
  return url;
}

/** Returns the locale options of the services' databases, because comparing text is part of the measured work. */
async function localeOf(adminUrl: string): Promise<string> {
  const [row] = await run<{ builtin: boolean }>(
    adminUrl,
    `SELECT datlocprovider = 'b' AS builtin FROM pg_database WHERE datname = '${defaultDatabaseName('treasury')}'`,
  );
  return row?.builtin === true ? `LOCALE 'C' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'` : '';
}

async function run<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
