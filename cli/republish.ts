import { parseArgs } from 'node:util';
import { ServiceBroker } from 'moleculer';
import pg from 'pg';
import { TABLE_SERVICES } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { attachInfrastructure } from '../lib/embedded/infrastructure.ts';
import { openBus } from '../lib/events/bus.ts';
import { republish } from '../lib/events/republish.ts';
import { openPool } from '../lib/db/pool.ts';
import { HALF_OPEN_ENDS } from '../lib/db/pools.ts';
import '../lib/db/pg-types.ts';
import { databaseOf } from '../lib/runtime/resources.ts';
import { runOnce } from './run-once.ts';

/** One for the relay's lease, one to take it with, one that looks. */
const POOL_MAX_CONNECTIONS = 3;

/** No limit of time for a statement: it may read the whole outbox. */
const REACHABLE = { keepAlive: true, options: HALF_OPEN_ENDS };

const USAGE = 'Usage: npm run republish -- [--since 2026-01-31T00:00:00Z]   (all events if no time is given)';

/** npm run republish: publishes what the event stream lacks of the services' outboxes. */
async function main(): Promise<void> {
  const since = readSince();
  const settings = loadSettings();
  const { natsUrl, databases } = await attachInfrastructure(settings);
  const bus = await openBus(natsUrl, 'republish', settings.eventStream);
  const { logger: log } = new ServiceBroker({ logLevel: settings.logLevel });
  try {
    for (const outbox of TABLE_SERVICES) {
      const { url: connectionString } = databaseOf({ databases }, outbox);
      const pool = new pg.Pool({ connectionString, max: POOL_MAX_CONNECTIONS, pipeline: true, ...REACHABLE });
      // A lost connection fails what is on it; without a listener one that is idle would end the process.
      pool.on('error', () => undefined);
      try {
        const { lost, late } = await republish(
          { db: openPool(pool), bus, outbox, clock: () => new Date(), log },
          since,
        );
        const behind = late === 0 ? '' : `, ${String(late)} of them after later events of their association`;
        console.log(`${outbox}: ${String(lost)} events were missing and are published${behind}`);
      } finally {
        await pool.end();
      }
    }
  } finally {
    await bus.close();
  }
}

function readSince(): Date {
  try {
    const { values } = parseArgs({ options: { since: { type: 'string', default: '1970-01-01T00:00:00Z' } } });
    const since = new Date(values.since);
    if (!Number.isNaN(since.getTime())) return since;
  } catch {
    // An unknown option: the usage line says which there are.
  }
  throw new StartupError(USAGE);
}

await runOnce(main);
