/** Runs a service with the servers of an association service that `npm start` runs. */
import pg from 'pg';
import { readEndpoints } from '../../../lib/embedded/data-dir.ts';
import { developmentCallerKey, developmentSecret, loadOrCreateSecrets } from '../../../lib/config/secrets.ts';
import { withDatabase } from '../../../lib/config/server-urls.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import { runOnce } from '../../../lib/node/run-once.ts';
import type { ServiceDefinition } from '../../../lib/service/define-service.ts';
import { runDeadLetters } from './run-dead-letters.ts';
import { runService } from './start-service.ts';

const USAGE = 'Usage: npm run dev -- <DATA_DIR of the association service> [dead-letters list | retry]';

/** Creates the service's database if there is none. @returns its URL */
async function createDatabase(adminUrl: string, name: string): Promise<string> {
  const client = new pg.Client(adminUrl);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE "${name}"`);
  } finally {
    await client.end();
  }
  return withDatabase(adminUrl, name);
}

/** @throws StartupError if no `npm start` runs there */
async function developmentEnvironment(
  { name, generatedSecrets = [] }: Pick<ServiceDefinition, 'name' | 'generatedSecrets'>,
  dataDir: string,
): Promise<NodeJS.ProcessEnv> {
  const { natsUrl, adminUrl } = (await readEndpoints(dataDir)) ?? {};
  if (natsUrl === undefined || adminUrl === undefined) {
    throw new StartupError(`No npm start with its own PostgreSQL runs in ${dataDir}.`);
  }
  const secrets = await loadOrCreateSecrets(dataDir);
  const made = generatedSecrets.map((variable) => [variable, developmentSecret(secrets, variable)] as const);
  const DATABASE_URL = await createDatabase(adminUrl, name);
  return {
    ...Object.fromEntries(made),
    NATS_URL: natsUrl,
    DATABASE_URL,
    CALLER_KEY: developmentCallerKey(secrets, name),
  };
}

/** Runs `npm run dev -- <DATA_DIR>`, or that command with `dead-letters`. */
export async function runInDevelopment<S>(definition: ServiceDefinition<S>): Promise<void> {
  const [dataDir, command, ...rest] = process.argv.slice(2);
  await runOnce(async () => {
    if (dataDir === undefined || (command !== undefined && command !== 'dead-letters')) throw new StartupError(USAGE);
    Object.assign(
      process.env,
      await developmentEnvironment(definition as Pick<ServiceDefinition, 'name' | 'generatedSecrets'>, dataDir),
    );
  });
  if (process.exitCode !== undefined) return;
  // What the command reads as its own arguments.
  process.argv.splice(2, Infinity, ...rest);
  await (command === undefined ? runService(definition) : runDeadLetters(definition));
}
