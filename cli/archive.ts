import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type pg from 'pg';
import { isTableService, OPERATOR, TABLE_SERVICES, type TableService } from '../lib/config/service-names.ts';
import { loadSettings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { hoursOrDays } from '../lib/config/variable-types.ts';
import { openPool } from '../lib/db/pool.ts';
import { attachDatabases } from '../lib/embedded/infrastructure.ts';
import { archiveOutbox, type Archived } from '../lib/events/archive-outbox.ts';
import { databaseOf, type ServiceDatabase } from '../lib/node/resources.ts';
import { readArguments, runOnce } from '../lib/node/run-once.ts';
import { openCommandPool } from './command-pool.ts';

/** One connection has the lock, one has the transaction. */
const POOL_MAX_CONNECTIONS = 2;

const DAY_MS = 24 * 3_600_000;

/**
 * Longer than anything reads published events in the ordinary course: the stream drops copies for 10 minutes, a verification
 * continues and overlaps within a day, and an outage whose events are published again may last a weekend.
 */
const AGE_MIN_MS = 7 * DAY_MS;

/** Older than any event. */
const AGE_MAX_DAYS = 3_650;

const USAGE = `Usage: npm run archive -- [<service>...] --older-than 30d --to DIR [--dry-run]
Moves events that were published so long ago, at least ${String(AGE_MIN_MS / DAY_MS)}d, from the outboxes to compressed files in DIR.
  <service>  of ${TABLE_SERVICES.join(', ')}; all if none is named
  --dry-run  shows what it would move; changes nothing
It may run beside the services, and needs POSTGRES_URL, as npm run migrate does.`;

/** npm run archive: moves old events from the outboxes to files. */
async function main(): Promise<void> {
  const { services, age_ms, dir, isDry } = readOptions();
  const databases = await attachDatabases(loadSettings(process.env, OPERATOR), services);
  if (!isDry) await makeFolder(dir);
  const before = new Date(Date.now() - age_ms);
  for (const outbox of services) {
    const pool = openOwner(databaseOf({ databases }, outbox));
    try {
      say(outbox, isDry, await archiveOutbox({ db: openPool(pool), outbox, dir, before, isDry }));
    } finally {
      await pool.end();
    }
  }
}

/** Opens sessions of the role that owns the tables. */
function openOwner({ url, migrationUrl, ownerRole }: ServiceDatabase): pg.Pool {
  const session = ownerRole === undefined ? '' : `-c role=${ownerRole.replaceAll(/[\\ ]/g, String.raw`\$&`)}`;
  return openCommandPool({ url: migrationUrl ?? url, name: 'archive', max_connections: POOL_MAX_CONNECTIONS, session });
}

async function makeFolder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new StartupError(`Cannot write in ${dir} (${error.message}): give another --to.`);
  });
}

function say(outbox: string, isDry: boolean, { events, files, bytes, file_bytes }: Archived): void {
  const of = `${outbox}: ${String(events)} events (${String(bytes)} bytes)`;
  if (isDry) console.log(`${of} would be archived in ${String(files)} files. Nothing is changed.`);
  else console.log(`${of} archived in ${String(files)} files (${String(file_bytes)} bytes)`);
}

function readOptions(): { services: readonly TableService[]; age_ms: number; dir: string; isDry: boolean } {
  const text = { type: 'string' } as const;
  const options = { 'older-than': text, to: text, 'dry-run': { type: 'boolean', default: false } } as const;
  const { values, positionals } = readArguments(USAGE, { options, allowPositionals: true });
  const { 'older-than': age, to, 'dry-run': isDry } = values;
  if (age === undefined || to === undefined || !positionals.every(isTableService)) throw new StartupError(USAGE);
  const age_ms = hoursOrDays(AGE_MAX_DAYS).parse(age) ?? 0;
  if (age_ms < AGE_MIN_MS)
    throw new StartupError(
      `--older-than ${age} must be at least ${String(AGE_MIN_MS / DAY_MS)}d, such as 30d.\n${USAGE}`,
    );
  return { services: positionals.length > 0 ? positionals : TABLE_SERVICES, age_ms, dir: resolve(to), isDry };
}

await runOnce(main);
