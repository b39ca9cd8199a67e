/** What must hold when all faults have ended. Each check returns the rules that were broken, one line each. */
import { AckPolicy } from 'nats';
import { CHECKS } from '../../cli/verify/checks.ts';
import { runChecks } from '../../cli/verify/run-checks.ts';
import { openSources } from '../../cli/verify/sources.ts';
import { TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { API_BASE } from '../../lib/contracts/api.ts';
import { STREAM, type LedgerEvent } from '../../lib/contracts/events.ts';
import type { Bus } from '../../lib/events/bus.ts';
import { openBus } from '../../lib/events/stream.ts';
import { inDatabase } from '../harness/cluster.ts';
import type { Site } from './site.ts';
import { associationsOf, compareEffects } from './stored-effects.ts';
import type { World } from './world.ts';

/** Only read again if something differs. Nothing is unfinished any more when the checks begin. */
const RECHECK_AFTER_MS = 2_000;
const FETCH_MAX_EVENTS = 500;
const FETCH_MAX_MS = 2_000;

export interface CheckedRun {
  site: Site;
  world: World;
  /** The beginning of the names of its people. */
  run: string;
}

type CheckOfRun = (checked: CheckedRun) => Promise<string[]>;

export const RUN_CHECKS: Record<string, CheckOfRun> = {
  'what the clients saw': ({ world }) => Promise.resolve(world.violations),
  'acknowledged effects': ({ site, world, run }) => compareEffects(site, world, run),
  'databases agree': ({ site }) => databasesAgree(site),
  'events in order': ({ site, world }) => eventsInOrder(site, associationsOf(world)),
  locations: ({ world }) => locationsAnswer(world),
  'service after recovery': ({ world }) => everythingServes(world),
};

/** Compares the ledger, the other records, outboxes, stream and inboxes as `npm run verify` does. */
async function databasesAgree({ dataDir, natsUrl }: Site): Promise<string[]> {
  const sources = await openSources(loadSettings({ DATA_DIR: dataDir, NATS_URL: natsUrl }));
  try {
    const progress = { scanned: [], current: null };
    const options = { checks: CHECKS, since_id: null, progress, save: () => undefined };
    const results = await runChecks(sources, { ...options, recheck_after_ms: RECHECK_AFTER_MS });
    return results.flatMap(({ check, texts }) => texts.map((text) => `${check}: ${text}`));
  } finally {
    await sources.close();
  }
}

/** The stream has each event of an association once, and those of one service in the order of its outbox. */
async function eventsInOrder(site: Site, associations: string[]): Promise<string[]> {
  const streamed = Map.groupBy(await eventsOf(site, associations), placeOf);
  const broken: string[] = [];
  for (const service of TABLE_SERVICES) {
    const stored = await inDatabase(site, service, async (client) => {
      const sql = 'SELECT event FROM outbox WHERE association_id = ANY($1::uuid[]) ORDER BY position';
      return (await client.query<{ event: LedgerEvent }>(sql, [associations])).rows.map(({ event }) => event);
    });
    for (const [place, events] of Map.groupBy(stored, placeOf)) {
      const expected = events.map(({ id }) => id);
      const found = (streamed.get(place) ?? []).map(({ id }) => id);
      if (found.join() !== expected.join()) broken.push(`${place}: ${differenceOf(expected, found)}`);
    }
  }
  return broken;
}

function placeOf({ source, subject }: LedgerEvent): string {
  return `${source} ${subject ?? ''}`;
}

function differenceOf(expected: string[], found: string[]): string {
  const lost = expected.filter((id) => !found.includes(id));
  if (lost.length > 0) return `the stream lacks ${lost.join(', ')}`;
  if (found.length > expected.length) return 'the stream has events twice';
  const first = expected.findIndex((id, index) => found[index] !== id);
  return `the order differs from event ${expected[first] ?? ''}`;
}

async function eventsOf({ natsUrl }: Site, associations: string[]): Promise<LedgerEvent[]> {
  const bus = await openBus(natsUrl, 'faults');
  try {
    const events: LedgerEvent[] = [];
    for (const id of associations) events.push(...(await eventsOn(bus, `ledger.v1.${id}.>`)));
    return events;
  } finally {
    await bus.close();
  }
}

async function eventsOn({ manager, jetstream }: Bus, filter_subject: string): Promise<LedgerEvent[]> {
  const events: LedgerEvent[] = [];
  const { name, num_pending } = await manager.consumers.add(STREAM, {
    ack_policy: AckPolicy.None,
    mem_storage: true,
    num_replicas: 1,
    filter_subject,
  });
  const consumer = await jetstream.consumers.get(STREAM, name);
  for (let left = num_pending; left > 0; { num_pending: left } = await consumer.info()) {
    const max_messages = Math.min(left, FETCH_MAX_EVENTS);
    for await (const message of await consumer.fetch({ max_messages, expires: FETCH_MAX_MS })) {
      events.push(message.json());
    }
  }
  await consumer.delete();
  return events;
}

/** Each `Location` answers its caller, unless they have left the association since. */
async function locationsAnswer({ people, written }: World): Promise<string[]> {
  const broken = await Promise.all(
    people.map(async (person) => {
      const lost: string[] = [];
      const own = written.filter((each) => each.person === person && each.outcome.isDone === true);
      const locations = own.map(({ outcome }) => outcome.headers?.get('location') ?? null);
      for (const location of new Set(locations.filter((each) => each !== null))) {
        const path = location.slice(location.indexOf(API_BASE) + API_BASE.length);
        const { status = 0, text = '' } = await person.client.request('GET', path);
        if (status === 200 || (status === 404 && (await hasLeft(person, path)))) continue;
        lost.push(`${path} gave ${String(status)} to ${person.client.user}: ${text}`);
      }
      return lost;
    }),
  );
  return broken.flat();
}

async function hasLeft({ client }: World['people'][0], path: string): Promise<boolean> {
  const [association] = /^\/associations\/[^/]+/.exec(path) ?? [];
  if (association === undefined) return false;
  return (await client.request('GET', `${association}/members/me`)).status === 404;
}

/** After recovery no request fails, and none has to be repeated. */
async function everythingServes({ people, groups }: World): Promise<string[]> {
  const broken = await Promise.all(
    people.map(async ({ client, wallets, pin }) => {
      const failed: string[] = [];
      const request = async (method: string, path: string, wanted = {}) => {
        const { status = 0, attempts, text = '' } = await client.request(method, path, wanted);
        if (status >= 500 || attempts > 1) failed.push(`${method} ${path} took ${String(attempts)} attempts, ${text}`);
      };
      await request('GET', '/associations/my');
      await request('PUT', '/me/pin', { body: { current_pin: await client.seal(pin) }, pin });
      for (const [currency, wallet] of wallets) {
        await request('POST', `/wallets/${wallet}/deposits`, { body: { amount: 1, reference: `after ${currency}` } });
      }
      for (const { path } of groups) {
        for (const read of ['', '/balances', '/meetings', '/governance/approvals']) await request('GET', path + read);
      }
      return failed;
    }),
  );
  return broken.flat();
}
