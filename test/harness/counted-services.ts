/**
 * Runs all services in this process on separate servers, and counts the cost of each request: the statements in each
 * database and the calls between services.
 */
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { rm } from 'node:fs/promises';
import type { AddressInfo, Server } from 'node:net';
import type { RequestListener } from 'node:http';
import jwt from 'jsonwebtoken';
import type { Middleware } from 'moleculer';
import pg from 'pg';
import {
  DATABASE_SERVICES,
  FURTHER_SERVICES,
  type DatabaseService,
  type FurtherService,
} from '../../lib/config/service-names.ts';
import { loadOrCreateSecrets } from '../../lib/config/secrets.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { brokerOptions } from '../../moleculer.config.ts';
import { startInfrastructure } from '../../lib/embedded/infrastructure.ts';
import { createRuntime } from '../../lib/node/create-runtime.ts';
import { startNode, type RunningNode, type ServiceFactory } from '../../lib/node/node.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import type { SqlDatabase } from '../../lib/db/sql-database.ts';
import type { ServiceDefinition } from '../../lib/service/define-service.ts';
import { hosted } from '../../cli/host-service.ts';
import { contributionService } from '../../services/contribution/contribution.service.ts';
import { gatewayService } from '../../services/gateway/gateway.service.ts';
import { governanceService } from '../../services/governance/governance.service.ts';
import { membershipService } from '../../services/membership/membership.service.ts';
import { reminders } from '../../services/reminders/src/service.ts';
import { treasuryService } from '../../services/treasury/treasury.service.ts';
import { webhooks } from '../../services/webhooks/src/service.ts';
import { makeDataDir, untilRoutesOf, type TokenClaims } from './cluster.ts';

/** A statement as passed to the driver. */
export interface CountedStatement {
  service: DatabaseService;
  text: string;
  values: readonly unknown[];
  /** Absent if it is not prepared. */
  name?: string | undefined;
}

/** The cost of a request. */
export interface Cost {
  /** Statements as passed to the driver, including `BEGIN` and `COMMIT`. */
  readonly statements: CountedStatement[];
  /** Called actions, including the call of the gateway. Each is a request and a response if services run separately. */
  readonly calls: string[];
  /** Statements that the request caused after its answer. */
  readonly late: string[];
  answered: boolean;
}

const nothing = (): Cost => ({ statements: [], calls: [], late: [], answered: false });

export interface CountedServices {
  readonly origin: string;
  /** An administrator's URL of the database of a service. */
  adminUrl(service: DatabaseService): string;
  token(user: string, claims?: TokenClaims): string;
  /** Runs `request`, which sends one request to the gateway. */
  count<T>(request: () => Promise<T>): Promise<{ answer: T; cost: Cost }>;
  /** Statements during a count that belong neither to a request nor to known background work. */
  readonly strays: string[];
  stop(): Promise<void>;
}

/** The key from which the codes are derived that confirm addresses. */
export const CODE_KEY = 'a key of codes that only these tests have';

const OWN_VARIABLES = { WEBHOOK_PRIVATE_ADDRESSES: 'allow', REMINDERS_CODE_KEY: CODE_KEY };

/** Longer than any test, so that no recovery or other job runs during a count. */
const NEVER_MS = 24 * 60 * 60_000;
const timings = { recover_every_ms: NEVER_MS };

const FACTORIES: ServiceFactory<Runtime>[] = [
  gatewayService,
  (runtime) => membershipService(runtime, { timings: { recover_every_ms: NEVER_MS, key_exchange_ms: NEVER_MS } }),
  (runtime) => contributionService(runtime, { timings: { ...timings, late_payments_every_ms: NEVER_MS } }),
  (runtime) => treasuryService(runtime, { timings }),
  (runtime) => governanceService(runtime, { timings }),
  counted('webhooks', webhooks),
  counted('reminders', reminders),
];

/** Runs a further service without its jobs, which would send statements during a count. */
function counted<S>(name: FurtherService, definition: ServiceDefinition<S>): ServiceFactory<Runtime> {
  return hosted(name, {
    ...definition,
    start: async (parts) => ({ ...(await definition.start({ ...parts, db: withoutCosts(parts.db) })), jobs: [] }),
  });
}

/** What begins after a commit, such as sending a webhook, is no part of the request. */
function withoutCosts(db: SqlDatabase): SqlDatabase {
  return {
    ...db,
    transaction: (work) =>
      db.transaction((tx) => {
        const { afterCommit } = tx;
        return work(Object.assign(tx, { afterCommit: (next: () => void) => afterCommit(() => costs.exit(next)) }));
      }),
  };
}

/** Statements of relays, probes and purges, and of webhooks that are sent, which may run at any time. */
const BACKGROUND = [
  /^SELECT current_setting\('transaction_read_only'\)/,
  /^(BEGIN|COMMIT)$/,
  /FROM outbox WHERE published_at IS (NOT )?NULL/,
  /^UPDATE outbox SET published_at/,
  /^UPDATE outbox_lease/,
  /^SET plan_cache_mode = force_custom_plan$/,
  // Expired keys are deleted once a minute.
  /^DELETE FROM idempotency_keys WHERE \(user_id, key\) IN/,
  // So are the statements of payers.
  /^DELETE FROM contribution_statements WHERE contribution_id IN/,
  /^SELECT set_config\('enable_seqscan'/,
  /^SELECT DISTINCT webhook_id FROM deliveries/,
  ...[/^SELECT id AS webhook_id, created_by_user_id AS owner_id/, /^UPDATE deliveries d SET claim_id/],
  /^UPDATE deliveries d SET\s+status/,
  ...[/^SELECT id FROM replays/, /^SELECT r\.id, r\.webhook_id/, /^SELECT id, occurred_at, /, /^UPDATE replays SET/],
  /^INSERT INTO deliveries \(id, webhook_id, event_id, replay_id/,
];

/** The first and the last statements of a subscriber's transaction; those in between belong to the handler. */
const HANDLER_BEGINS = /INSERT INTO inbox/;
const HANDLER_ENDS = /^(COMMIT|ROLLBACK)$/;

/** The cost of the request for which the running code works. */
const costs = new AsyncLocalStorage<Cost>();

/** Starts the services. A process can run only one instance, because all statements of the driver are observed. */
export async function startCountedServices(): Promise<CountedServices> {
  const dataDir = await makeDataDir();
  const settings = loadSettings({ DATA_DIR: dataDir, PORT: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'warn' });
  const infrastructure = await startInfrastructure(settings, (line) => process.stderr.write(`${line}\n`));
  const strays: string[] = [];
  let counted: Cost | undefined;
  const unwatch = watchDriver((statement) => {
    const { service, text } = statement;
    const cost = costs.getStore();
    if (cost?.answered === true) cost.late.push(`${service}: ${text}`);
    else if (cost !== undefined) cost.statements.push(statement);
    else if (counted !== undefined && !BACKGROUND.some((known) => known.test(text))) strays.push(`${service}: ${text}`);
  });
  const end = async (): Promise<void> => {
    unwatch();
    await infrastructure.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  const runtime = await createRuntime(settings, infrastructure);
  const base = brokerOptions(settings, infrastructure.natsUrl);
  const broker = { ...base, middlewares: [...(base.middlewares ?? []), noteCalls] };
  // Services that are built from a definition read their own variables.
  Object.assign(process.env, OWN_VARIABLES);
  const node = await startNode({ services: FACTORIES, runtime, broker }).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  for (const name of Object.keys(OWN_VARIABLES)) delete process.env[name];
  const { jwtSecret } = await loadOrCreateSecrets(dataDir);
  const origin = `http://127.0.0.1:${String(attribute(node, () => counted))}`;
  await untilRoutesOf({ origin }, FURTHER_SERVICES);
  return {
    origin,
    adminUrl(service) {
      const database = infrastructure.databases[service];
      if (infrastructure.adminUrl === undefined || database === undefined) throw new Error(`No database of ${service}`);
      return new URL(new URL(database.url).pathname, infrastructure.adminUrl).href;
    },
    token: (user, claims = {}) => jwt.sign(claims, jwtSecret, { subject: user, expiresIn: '1h' }),
    strays,
    async count(request) {
      const cost = nothing();
      counted = cost;
      try {
        return { answer: await request(), cost };
      } finally {
        cost.answered = true;
        counted = undefined;
      }
    },
    async stop() {
      await node.stop();
      await end();
    },
  };
}

/** Attributes all work of the HTTP server for a request to the current count. @returns the port of the server */
function attribute(node: RunningNode, counted: () => Cost | undefined): number {
  // Moleculer's type of a service lacks the members of its schema.
  const { server } = node.broker.getLocalService('gateway') as unknown as { server: Server };
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (...exchange: Parameters<RequestListener>) => {
    const cost = counted() ?? nothing();
    costs.run(cost, () => {
      for (const listener of listeners) listener(...exchange);
    });
  });
  return (server.address() as AddressInfo).port;
}

/** Records each call of an action of a service with a database. */
const noteCalls: Middleware = {
  name: 'note-calls',
  localAction(this: unknown, next, { name = '' }) {
    const [service = ''] = name.split('.');
    if (!DATABASE_SERVICES.some((each) => each === service)) return next;
    return function (context) {
      costs.getStore()?.calls.push(name);
      return next.call(this, context) as unknown;
    };
  },
};

type Query = (this: pg.Client & { database?: string }, ...args: unknown[]) => unknown;

interface DriverQuery {
  text?: string;
  name?: string;
  values?: unknown;
}

/** Reports each statement passed to the driver, except those of event handlers. @returns a function that ends this */
function watchDriver(note: (statement: CountedStatement) => void): () => void {
  // One type for all overloads of query().
  const { prototype } = pg.Client as unknown as { prototype: { query: Query } };
  const { query } = prototype;
  const handling = new WeakSet<pg.Client>();
  prototype.query = function (...args) {
    const [first, second] = args;
    const { text, name, values = second } = typeof first === 'string' ? { text: first } : (first as DriverQuery);
    const service = DATABASE_SERVICES.find((name) => this.database?.endsWith(`_${name}`) === true);
    const statement = text?.trim() ?? '';
    if (HANDLER_BEGINS.test(statement)) handling.add(this);
    if (service !== undefined && !handling.has(this)) {
      note({ service, text: statement, name, values: Array.isArray(values) ? (values as unknown[]) : [] });
    }
    if (HANDLER_ENDS.test(statement)) handling.delete(this);
    return query.apply(this, args);
  };
  const unbind = bindWaiting();
  return () => {
    prototype.query = query;
    unbind();
  };
}

type Connect = (this: pg.Pool, callback?: (...answer: unknown[]) => void) => unknown;

/** A statement that waits for a connection belongs to its own request, not to that whose end frees one. @returns a function that ends this */
function bindWaiting(): () => void {
  const { prototype } = pg.Pool as unknown as { prototype: { connect: Connect } };
  const { connect } = prototype;
  prototype.connect = function (callback) {
    return connect.call(this, callback && AsyncResource.bind(callback));
  };
  return () => (prototype.connect = connect);
}
