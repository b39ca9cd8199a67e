import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { startInfrastructure, type Infrastructure } from '../../lib/embedded/infrastructure.ts';
import { dropTemplates } from './databases.ts';
import { ADMIN_URL_VARIABLE, NATS_URL_VARIABLE } from './servers.ts';

const PREFIX = 'association-test-';

/** A process that is still there so long after the last test has something open: the run fails instead of hanging. */
const EXIT_MAX_MS = 30_000;

let servers: Infrastructure | undefined;
let dataDir: string | undefined;

/** Starts one Postgres and one NATS for the whole run, but where TEST_POSTGRES_URL or TEST_NATS_URL name others. */
export async function mochaGlobalSetup(): Promise<void> {
  const { TEST_POSTGRES_URL: postgres, TEST_NATS_URL: nats } = process.env;
  if (postgres === undefined || nats === undefined) {
    dataDir = await mkdtemp(join(tmpdir(), PREFIX));
    // A database URL of its own for each service keeps the start from making databases that no test uses; it is the
    // administrator's, for a server that is given needs no more here.
    const settings = loadSettings({ DATA_DIR: dataDir, NATS_URL: nats, ...givenDatabases(postgres) });
    servers = await startInfrastructure(settings, say, { onCrash: say });
  }
  process.env[ADMIN_URL_VARIABLE] = postgres ?? servers?.adminUrl;
  process.env[NATS_URL_VARIABLE] = nats ?? servers?.natsUrl;
}

export async function mochaGlobalTeardown(): Promise<void> {
  // Servers of our own go with all that is in them.
  if (servers?.embedded.postgres === undefined) await dropTemplates();
  await servers?.stop();
  if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
  setTimeout(() => {
    say(`The tests are over, but something keeps the process: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, EXIT_MAX_MS).unref();
}

function givenDatabases(url: string | undefined): NodeJS.ProcessEnv {
  if (url === undefined) return {};
  return Object.fromEntries(TABLE_SERVICES.map((service) => [`${service.toUpperCase()}_DATABASE_URL`, url]));
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
