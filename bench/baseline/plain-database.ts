import { Client } from 'pg';
import { defaultDatabaseName, withDatabase } from '../../lib/embedded/provision.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { contributionDatabase, treasuryDatabase } from '../harness/service-internals.ts';

/** The owner of both, as in a plain application, is the one that connects. */
const DATABASE = 'plain';

/**
 * Makes one database with the tables of contribution and of treasury, each in a schema of its name. Connections look
 * into `treasury` first, as the ledger's triggers name its tables without it.
 * @returns its URL
 */
export async function makePlainDatabase(adminUrl: string): Promise<string> {
  const url = withDatabase(adminUrl, DATABASE);
  // Like the services' own databases in all but the tables.
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

/** How the services' databases sort text: comparing it is part of what is measured. */
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
