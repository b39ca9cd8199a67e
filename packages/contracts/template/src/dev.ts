/**
 * npm run dev -- <DATA_DIR> [dead-letters ...]: runs the service, or that command, with the servers of an association service
 * that `npm start` runs.
 */
import pg from 'pg';
import { runOnce, StartupError } from '@association-service/contracts/service';
import { readEndpoints } from '@association-service/contracts/testing';
import { NAME } from './contracts.ts';

const USAGE = 'Usage: npm run dev -- <DATA_DIR of the association service> [dead-letters ...]';

/** Creates the service's database if there is none. @returns its URL */
async function createDatabase(adminUrl: string): Promise<string> {
  const client = new pg.Client(adminUrl);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [NAME]);
    if (rowCount === 0) await client.query(`CREATE DATABASE "${NAME}"`);
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.pathname = NAME;
  return url.href;
}

const [dataDir, command, ...rest] = process.argv.slice(2);
await runOnce(async () => {
  if (dataDir === undefined || (command !== undefined && command !== 'dead-letters')) throw new StartupError(USAGE);
  const { natsUrl, adminUrl } = (await readEndpoints(dataDir)) ?? {};
  if (natsUrl === undefined || adminUrl === undefined) {
    throw new StartupError(`No npm start with its own PostgreSQL runs in ${dataDir}.`);
  }
  Object.assign(process.env, { NATS_URL: natsUrl, DATABASE_URL: await createDatabase(adminUrl) });
});
if (process.exitCode === undefined) {
  // What the command reads as its own arguments.
  process.argv.splice(2, Infinity, ...rest);
  await import(command === undefined ? './main.ts' : './dead-letters.ts');
}
