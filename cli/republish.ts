import { ServiceBroker } from 'moleculer';
import pg from 'pg';
import { OPERATOR, TABLE_SERVICES } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { attachInfrastructure } from '../lib/embedded/infrastructure.ts';
import { openBus } from '../lib/events/stream.ts';
import { republish } from '../lib/events/republish.ts';
import { openPool } from '../lib/db/pool.ts';
import '../lib/db/pg-types.ts';
import { HALF_OPEN_ENDS } from '../lib/db/pool-settings.ts';
import { databaseOf } from '../lib/node/resources.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';

/** One connection holds the relay's lease, one takes it, and one reads. */
const POOL_MAX_CONNECTIONS = 3;

/** Dead connections end, but statements have no time limit: one may read the whole outbox. */
const CONNECTION_SETTINGS = { keepAlive: true, options: HALF_OPEN_ENDS };

const USAGE = 'Usage: npm run republish -- [--since 2026-01-31T00:00:00Z]   (all events if no time is given)';

/** npm run republish: publishes the events in the services' outboxes that the event stream lacks. */
async function main(): Promise<void> {
  const since = readSince();
  const settings = loadSettings(process.env, OPERATOR);
  const { natsUrl, databases } = await attachInfrastructure(settings);
  const bus = await openBus(natsUrl, 'republish', settings.eventStream);
  const { logger: log } = new ServiceBroker({ logLevel: settings.logLevel });
  try {
    for (const outbox of TABLE_SERVICES) {
      const { url: connectionString } = databaseOf({ databases }, outbox);
      const pool = new pg.Pool({ connectionString, max: POOL_MAX_CONNECTIONS, pipeline: true, ...CONNECTION_SETTINGS });
      // A query on a lost connection fails. Without a listener, the loss of an idle one would end the process.
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
  const options = { since: { type: 'string', default: '1970-01-01T00:00:00Z' } } as const;
  const since = new Date(readArguments(USAGE, { options }).values.since);
  if (Number.isNaN(since.getTime())) throw new StartupError(USAGE);
  return since;
}

await runOnce(main);
