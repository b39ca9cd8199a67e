/** The service on real servers, with a double of membership, and what its tests do. */
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { exampleEvent, problemCode, type AnyEvent, type EventType } from '@association-service/contracts';
import {
  readServiceSettings,
  startService,
  type RunningService,
  type RuntimeOverrides,
} from '@association-service/contracts/service';
import { openSqlDatabase, type SqlDatabase } from '@association-service/contracts/subscriber';
import {
  request,
  startTestMembership,
  startTestServers,
  TEST_CALLER_KEY,
  untilHandled,
  type TestAssociations,
  type TestServers,
} from '@association-service/contracts/testing';
import { MANAGE_SCOPE, NAME, ofAll, ofAssociation } from '../../src/contracts.ts';
import { webhooks } from '../../src/service.ts';
import { answerWith, startReceiver, type Receiver } from './receiver.ts';

const SECRET_KEY = 'the key of webhook secrets that only tests have';

/** Far longer than anything takes. */
const UNTIL_MS = 30_000;

/** Waits until something is so. @throws Error if that takes long */
export async function until(condition: () => boolean | Promise<boolean>, what = 'that'): Promise<void> {
  for (const end_ms = performance.now() + UNTIL_MS; performance.now() < end_ms; await delay(10)) {
    if (await condition()) return;
  }
  throw new Error(`${what} has not happened`);
}

/** Returns the code of a refusal. @throws Error if there is none */
export async function refusalOf(answer: Promise<unknown>): Promise<string | undefined> {
  try {
    await answer;
  } catch (error) {
    return problemCode(error);
  }
  throw new Error('not refused');
}

export const AWA = { user_id: 'awa' };
export const MANAGER = { user_id: 'operator', scopes: [MANAGE_SCOPE] };

/** The service as tests use it. */
export interface World {
  servers: TestServers;
  db: SqlDatabase;
  databaseUrl: string;
  associations: TestAssociations;
  running: RunningService;
  /** Added to the service's clock. */
  clock: { advanced_ms: number };
  /** What happens at a fault point. */
  faults: Map<string, () => Promise<void>>;
  env: Record<string, string>;
  /** Starts the service once more on the same database. */
  startAnother(overrides?: RuntimeOverrides): Promise<RunningService>;
  /** Stops the service that runs since the start. */
  stopRunning(): Promise<void>;
  /** Founds an association with a president `awa`, a secretary `binta`, a treasurer `cheikh` and a member `diallo`. */
  found(): string;
  /** Creates an endpoint of an association. */
  create(association_id: string, url: string, more?: object): ReturnType<typeof createFor>;
  publish(association_id: string | undefined, type?: EventType, more?: object): Promise<AnyEvent>;
  /** Waits until the service has handled all events. */
  handled(): Promise<void>;
  stop(): Promise<void>;
}

const createFor = (running: RunningService, association_id: string, body: object) =>
  request(running, ofAssociation.create, AWA, { path: { association_id }, body });

function foundIn(associations: TestAssociations): string {
  const association_id = randomUUID();
  const roles = { awa: 'president', binta: 'secretary', cheikh: 'treasurer', diallo: 'member' } as const;
  const members = Object.entries(roles).map(([user_id, role]) => ({ user_id, role }));
  associations.set(association_id, { members });
  return association_id;
}

export async function startWorld(): Promise<World> {
  const stops: (() => Promise<void>)[] = [];
  try {
    return await openWorld(stops);
  } catch (error) {
    for (const stop of stops.toReversed()) await stop();
    throw error;
  }
}

async function openWorld(stops: (() => Promise<void>)[]): Promise<World> {
  const servers = await startTestServers();
  stops.push(() => servers.stop());
  const associations: TestAssociations = new Map();
  const membership = await startTestMembership(servers.natsUrl, associations);
  stops.push(() => membership.stop());
  const databaseUrl = await servers.createDatabase();
  const env = {
    NATS_URL: servers.natsUrl,
    DATABASE_URL: databaseUrl,
    CALLER_KEY: TEST_CALLER_KEY,
    METRICS_PORT: '0',
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'fatal',
    WEBHOOK_SECRET_KEY: SECRET_KEY,
    WEBHOOK_PRIVATE_ADDRESSES: 'allow',
  };
  const clock = { advanced_ms: 0 };
  const faults: World['faults'] = new Map();
  const overrides: RuntimeOverrides = {
    clock: () => new Date(Date.now() + clock.advanced_ms),
    reached: async (step) => faults.get(step)?.(),
  };
  const start = async (more: RuntimeOverrides = {}) => {
    const own: (() => Promise<void>)[] = [];
    const stop = async () => {
      for (const each of own.splice(0).toReversed()) await each();
    };
    stops.push(stop);
    const settings = readServiceSettings(NAME, { ...env, NODE_ID: randomUUID() });
    const started = await startService(webhooks, settings, (each) => own.push(each), { ...overrides, ...more });
    await started.node.broker.waitForServices('membership');
    return { started, stop };
  };
  const { started: running, stop: stopRunning } = await start();
  const db = await openSqlDatabase(databaseUrl, []);
  stops.push(() => db.close());
  return {
    servers,
    db,
    databaseUrl,
    associations,
    running,
    clock,
    faults,
    env,
    startAnother: async (more) => (await start(more)).started,
    stopRunning,
    found: () => foundIn(associations),
    create: (association_id, url, more = {}) => createFor(running, association_id, { url, ...more }),
    async publish(association_id, type = 'meeting.settled', more = {}) {
      const event = { ...exampleEvent(type, { id: randomUUID() }), ...more } as AnyEvent;
      if (association_id === undefined) delete event.subject;
      else event.subject = association_id;
      event.time = new Date(Date.now() + clock.advanced_ms).toISOString();
      await servers.publish(event);
      return event;
    },
    handled: () => untilHandled(running.subscriptions, { durable: `${NAME}-events`, type: '*' }),
    async stop() {
      for (const stop of stops.toReversed()) await stop();
    },
  };
}

/** What a test has: the service, a receiver that answers 204, and an association of its own. */
export interface Given {
  world: World;
  receiver: Receiver;
  association_id: string;
}

/** Starts the service and a receiver for the tests of a suite, and gives them to each. */
export function givenToEach(give: (given: Given) => void): void {
  let world: World;
  let receiver: Receiver;
  before(async () => {
    world = await startWorld();
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.stop();
    await world.stop();
  });
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.answer = answerWith(204);
    give({ world, receiver, association_id: world.found() });
  });
}

/** Lists the deliveries of an endpoint. */
export async function deliveriesOf(
  { running }: World,
  association_id: string | null,
  webhook_id: string,
  query: object = {},
) {
  const listed =
    association_id === null
      ? await request(running, ofAll.listDeliveries, MANAGER, { path: { webhook_id }, query: { limit: 200, ...query } })
      : await request(running, ofAssociation.listDeliveries, AWA, {
          path: { association_id, webhook_id },
          query: { limit: 200, ...query },
        });
  return listed.body.data;
}
