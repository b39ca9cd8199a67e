/** Makes the Moleculer service of a definition, with its database, subscriptions and jobs. */
import type { KeyObject } from 'node:crypto';
import { ServiceBroker, type ActionSchema, type Service, type ServiceSchema } from 'moleculer';
import { canonicalHash } from '../canonical/canonical-hash.ts';
import { readSecretFiles, withoutEmpty } from '../config/secret-files.ts';
import { StartupError } from '../config/startup-error.ts';
import { readText } from '../config/variable-types.ts';
import { describeApiCommand, type ApiMetadata, type ServiceApi } from '../contracts/service-api.ts';
import { openSqlDatabase, type SqlDatabase } from '../db/sql-database.ts';
import { addErrors, ERRORS } from '../errors/codes.ts';
import type { Subscription } from '../events/handle-events.ts';
import { startSubscriptions, type Subscriptions } from '../events/subscriptions.ts';
import { batchClaims, purgeKeys } from '../idempotency/claims.ts';
import type { TestClock } from '../node/test-clock.ts';
import { signedCursors, type Cursors } from '../paging/cursors.ts';
import { callerCheck, checkCallers } from './check-caller.ts';
import type { ServiceDefinition, ServiceParts, ServiceRuntime, StartedParts } from './define-service.ts';
import { honoursKeys } from './implement-write.ts';
import { implementCommand } from './implement.ts';
import { runInTurn, startJob, type RecurringJob } from './recurring-job.ts';
import { followClock, testClockActions } from './test-clock.ts';

/** Rarely, as expired keys only take space. */
const PURGE_KEYS_EVERY_MS = 60_000;

/** What a process gives a service that is made from a definition. */
export interface ServiceHost extends ServiceRuntime {
  /** Has the form of NATS_URL, with credentials. */
  natsUrl: string;
  databaseUrl: string;
  production: boolean;
  /** The keys with which gateways sign who calls. Empty only for a service without an API. */
  callerKeys: readonly KeyObject[];
  testClock: TestClock | undefined;
  env: NodeJS.ProcessEnv;
  /** Makes a secret that development does not set; undefined in production. */
  makeSecret?: ((variable: string) => string) | undefined;
  broker: ServiceBroker;
}

/** The Moleculer service, and the subscriptions once it has started. */
export interface OpenedService {
  schema: ServiceSchema;
  subscriptions(): Subscriptions;
}

/**
 * Connects to the service's database, and makes the service.
 * @throws StartupError with a message of one line
 */
export async function openDefinedService<S>(
  definition: ServiceDefinition<S>,
  host: ServiceHost,
): Promise<OpenedService> {
  const settings = readDefinedSettings(definition, host);
  try {
    addErrors(definition.api?.errors ?? {}, definition.name);
  } catch (error) {
    throw new StartupError(`${definition.name}: ${(error as Error).message}.`);
  }
  const db = await openSqlDatabase(host.databaseUrl, definition.migrations);
  try {
    const parts = await partsOf(definition, host, db, settings);
    const started = await definition.start(parts);
    requireComplete(definition, started);
    return serviceOf(definition, host, parts, started);
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** @throws StartupError for a mistake that would only show in use */
function requireComplete({ name, api }: Pick<ServiceDefinition, 'name' | 'api'>, started: StartedParts): void {
  const complain = (mistake: string): never => {
    throw new StartupError(`${name}: ${mistake}.`);
  };
  for (const { method, path, endpoint } of api?.routes ?? []) {
    const action = started.actions[endpoint.name.slice(name.length + 1)];
    if (action === undefined)
      return complain(`${method} ${path} has no action: ${endpoint.name} is not among \`actions\``);
    if (method !== 'GET' && !honoursKeys(action))
      complain(`${method} ${path} changes something: build it with implementWrite()`);
    const unknown = endpoint.refuses?.find(
      (code) => !Object.hasOwn(ERRORS, code) && !Object.hasOwn(api?.errors ?? {}, code),
    );
    if (unknown !== undefined)
      complain(`${method} ${path} refuses with ${unknown}, which is not among \`errors\` of its API`);
  }
  const foreign = started.subscriptions?.find(({ durable }) => !durable.startsWith(`${name}-`));
  if (foreign !== undefined) complain(`the name of the consumer ${foreign.durable} must begin with ${name}-`);
}

/** @throws StartupError for a value that is missing or cannot be used */
function readDefinedSettings<S>(
  definition: ServiceDefinition<S>,
  host: Pick<ServiceHost, 'env' | 'makeSecret' | 'production'>,
): S {
  const { secrets = [], generatedSecrets = [], settings } = definition;
  const env = readSecretFiles(withoutEmpty(host.env), [...secrets, ...generatedSecrets]);
  for (const name of generatedSecrets) {
    if (env[name] !== undefined) continue;
    if (host.makeSecret === undefined)
      throw new StartupError(`NODE_ENV=production needs ${name}: set it and start again.`);
    env[name] = host.makeSecret(name);
  }
  return settings?.((variable, type) => readText(env[variable], type, variable), host) as S;
}

/** Returns what a service works with. Nothing of it runs. */
async function partsOf<S>(
  { name, api }: ServiceDefinition<S>,
  host: ServiceRuntime & Pick<ServiceHost, 'broker' | 'production'>,
  db: SqlDatabase,
  settings: S,
): Promise<ServiceParts<S>> {
  const { clock, systemClock, newId, randomBytes, reached, broker, production } = host;
  const runtime = { clock, systemClock, newId, randomBytes, reached };
  const log = broker.getLogger(name);
  const cursors = api === undefined ? NO_CURSORS : await cursorsOf(db);
  const insertClaim = batchClaims(db, db);
  return { service: name, db, log, broker, settings, production, cursors, insertClaim, runtime, ...runtime };
}

/**
 * Makes the subscriptions of a service that does not run here, to handle its dead letters.
 * @returns also a function that ends what handled events have begun, such as requests of webhooks; call it before closing `db`
 */
export async function openSubscriptions<S>(
  definition: ServiceDefinition<S>,
  host: Omit<ServiceHost, 'broker' | 'natsUrl' | 'databaseUrl' | 'callerKeys' | 'testClock'>,
  db: SqlDatabase,
): Promise<{ subscriptions: readonly Subscription[]; stop: () => Promise<void> }> {
  // It is never started: handlers call no action. Its own handler of the end of the process would replace the exit code.
  const broker = new ServiceBroker({ logger: false, skipProcessEventRegistration: true });
  const parts = await partsOf(definition, { ...host, broker }, db, readDefinedSettings(definition, host));
  const { subscriptions = [], stop = () => Promise.resolve() } = await definition.start(parts);
  return { subscriptions, stop };
}

/** Of a service without lists. */
const NO_CURSORS = signedCursors(Buffer.alloc(1));

async function cursorsOf(db: SqlDatabase): Promise<Cursors> {
  const stored = await db.first<{ key: Buffer }>('SELECT key FROM cursor_keys');
  if (stored === undefined) throw new Error('cursor_keys is empty: a migration with SERVICE_TABLES fills it');
  return signedCursors(stored.key);
}

function serviceOf(
  { name, api }: Pick<ServiceDefinition, 'name' | 'api'>,
  host: ServiceHost,
  parts: Omit<ServiceParts, 'settings'>,
  started: StartedParts,
): OpenedService {
  const { db, log, clock } = parts;
  const { natsUrl, testClock, broker } = host;
  const jobs = [...(started.jobs ?? [])];
  const due = jobs.filter(({ followsClock }) => followsClock === true);
  if (api !== undefined)
    jobs.push({ name: 'idempotency keys', every_ms: PURGE_KEYS_EVERY_MS, run: () => purgeKeys(db, clock()) });
  if (testClock !== undefined) jobs.push(followClock(testClock, broker));
  const running: { subscriptions?: Subscriptions; jobs: { stop(): Promise<void> }[] } = { jobs: [] };
  const runDueJobs = () => runInTurn(due);
  const { metadata, actions: describing } = announced(name, api);
  const schema: ServiceSchema = {
    name,
    metadata,
    actions: {
      ...started.actions,
      ...describing,
      ...testClockActions({ service: name, runtime: { testClock }, runDueJobs }),
    },
    methods: {
      /** Whether the service can serve; the health of the process consists of it. */
      async readiness() {
        await db.first('SELECT 1');
        return { status: 'ready' };
      },
    },
    created(this: Service) {
      checkCallers(
        this,
        callerCheck({ service: name, keys: host.callerKeys, isRequired: true, clock: host.systemClock }),
      );
    },
    async started() {
      running.subscriptions = await startSubscriptions({ natsUrl, name, db, log, clock }, started.subscriptions ?? []);
      running.jobs = jobs.map((each: RecurringJob) => startJob(each, broker.getLogger(name)));
    },
    async stopped() {
      await Promise.all(running.jobs.map((job) => job.stop()));
      await running.subscriptions?.stop();
      await started.stop?.();
      await db.close();
    },
  };
  return {
    schema,
    subscriptions() {
      if (running.subscriptions === undefined) throw new Error(`${name} has not started`);
      return running.subscriptions;
    },
  };
}

/** Returns the metadata and the action with which gateways learn the routes. */
function announced(
  name: string,
  declared: ServiceApi | undefined,
): { metadata: ApiMetadata; actions: Record<string, ActionSchema> } {
  if (declared === undefined) return { metadata: {}, actions: {} };
  // As it is sent: without members that are undefined.
  const api = JSON.parse(JSON.stringify(declared)) as Record<string, unknown>;
  const metadata = { api_hash: canonicalHash(api) };
  const describe_api = implementCommand(describeApiCommand(name), () => Promise.resolve({ api }));
  return { metadata, actions: { describe_api } };
}
