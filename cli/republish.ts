import { ServiceBroker } from 'moleculer';
import { forTableServices, OPERATOR, TABLE_SERVICES } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { attachInfrastructure } from '../lib/embedded/infrastructure.ts';
import { openBus } from '../lib/events/stream.ts';
import { readStreamContent, republishArchives } from '../lib/events/republish-archives.ts';
import { republish } from '../lib/events/republish.ts';
import { openPool } from '../lib/db/pool.ts';
import { databaseOf } from '../lib/node/resources.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';
import { openCommandPool } from './command-pool.ts';

/** One connection holds the relay's lease, one takes it, and one reads. */
const POOL_MAX_CONNECTIONS = 3;

const USAGE = `Usage: npm run republish -- [--since 2026-01-31T00:00:00Z] [--archive DIR]
All events if no time is given; with --archive also archived ones, whose files are in DIR.
Exit code: 0 the stream has all, 1 it lacks archived events, or something failed.`;

/** npm run republish: publishes the events of the services' outboxes and their archives that the event stream lacks. */
async function main(): Promise<void> {
  const { since, archive: dir } = readOptions();
  const settings = loadSettings(process.env, OPERATOR);
  const { natsUrl, databases } = await attachInfrastructure(settings, TABLE_SERVICES);
  const bus = await openBus(natsUrl, 'republish', settings.eventStream);
  // Otherwise the broker ends the process with 0, even after a failure.
  const { logger: log } = new ServiceBroker({ logLevel: settings.logLevel, skipProcessEventRegistration: true });
  const pools = forTableServices((service) => {
    const { url } = databaseOf({ databases }, service);
    return openCommandPool({ url, name: 'republish', max_connections: POOL_MAX_CONNECTIONS });
  });
  try {
    const clock = () => new Date();
    const db = forTableServices((service) => openPool(pools[service]));
    const content = dir === undefined ? undefined : await readStreamContent(bus, Object.values(db));
    for (const outbox of TABLE_SERVICES) {
      // Before the events that follow them.
      if (dir !== undefined && content !== undefined)
        report(
          `${outbox}: archived events`,
          await republishArchives({ db: db[outbox], bus, clock, dir, since, content }),
        );
      const found = await republish({ db: db[outbox], bus, outbox, clock, log }, since);
      report(`${outbox}: events`, found);
      if (found.lost_archives === 0) continue;
      console.log(
        `${outbox}: the stream lacks events of ${String(found.lost_archives)} archive files: --archive DIR publishes them`,
      );
      process.exitCode = 1;
    }
  } finally {
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
    await bus.close();
  }
}

function report(what: string, { lost, late }: { lost: number; late: number }): void {
  const behind = late === 0 ? '' : `, ${String(late)} of them after later events of their association`;
  console.log(`${what}: ${String(lost)} were missing and are published${behind}`);
}

function readOptions(): { since: Date; archive: string | undefined } {
  const options = { since: { type: 'string', default: '1970-01-01T00:00:00Z' }, archive: { type: 'string' } } as const;
  const { since: given, archive } = readArguments(USAGE, { options }).values;
  const since = new Date(given);
  if (Number.isNaN(since.getTime())) throw new StartupError(USAGE);
  return { since, archive };
}

await runOnce(main);
