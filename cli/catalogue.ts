import { globSync } from 'node:fs';
import { join } from 'node:path';
import { StartupError } from '../lib/config/startup-error.ts';
import { ALL_SERVICES, type AnyService, type FurtherService, type TableService } from '../lib/config/service-names.ts';
import type { DatabaseDefinition } from '../lib/db/database.ts';
import type { Subscription } from '../lib/events/handle-events.ts';
import type { ServiceDefinition } from '../lib/service/define-service.ts';
import type { ServiceContext } from '../lib/service/service-context.ts';
import type { ServiceFactory } from '../lib/node/node.ts';
import type { Runtime } from '../lib/node/runtime.ts';
import { hosted } from './host-service.ts';

/** The module of each service. Modules are imported on demand, so that a process loads only what it runs. */
const CATALOGUE: Record<AnyService, () => Promise<ServiceFactory<Runtime>>> = {
  membership: async () => (await import('../services/membership/membership.service.ts')).membershipService,
  contribution: async () => (await import('../services/contribution/contribution.service.ts')).contributionService,
  treasury: async () => (await import('../services/treasury/treasury.service.ts')).treasuryService,
  governance: async () => (await import('../services/governance/governance.service.ts')).governanceService,
  gateway: async () => (await import('../services/gateway/gateway.service.ts')).gatewayService,
  webhooks: async () => hosted('webhooks', await loadDefinition('webhooks')),
  reminders: async () => hosted('reminders', await loadDefinition('reminders')),
};

/** The module of each service that is built on packages/contracts. */
const DEFINITIONS: Record<FurtherService, () => Promise<unknown>> = {
  webhooks: async () => (await import('../services/webhooks/src/service.ts')).webhooks,
  reminders: async () => (await import('../services/reminders/src/service.ts')).reminders,
};

/** The module in which each service declares its database. */
const DATABASES: Record<TableService, () => Promise<DatabaseDefinition>> = {
  membership: async () => (await import('../services/membership/database.ts')).membershipDatabase,
  contribution: async () => (await import('../services/contribution/database.ts')).contributionDatabase,
  treasury: async () => (await import('../services/treasury/database.ts')).treasuryDatabase,
  governance: async () => (await import('../services/governance/database.ts')).governanceDatabase,
};

const ROOT = join(import.meta.dirname, '..');

/** The exports of a file on-<event>.ts: functions that make its subscriptions. */
type Handlers = Record<string, (deps: Pick<ServiceContext, 'runtime' | 'outbox'>) => Subscription | Subscription[]>;

/** Loads the subscriptions of a service, which are in files on-<event>.ts, for commands that handle events without it. */
export async function loadSubscriptions(
  service: TableService,
  deps: Pick<ServiceContext, 'runtime' | 'outbox'>,
): Promise<Subscription[]> {
  const files = globSync(`services/${service}/**/on-*.ts`, { cwd: ROOT }).sort();
  const modules = await Promise.all(files.map((file) => import(join(ROOT, file)) as Promise<Handlers>));
  return modules.flatMap((handlers) => Object.values(handlers).flatMap((make) => make(deps)));
}

/** Loads the definition of a further service. Only its own functions take the settings that they have read. */
export async function loadDefinition(service: FurtherService): Promise<ServiceDefinition> {
  return (await DEFINITIONS[service]()) as ServiceDefinition;
}

/** Loads the definition of a service's database: its entities and migrations. */
export function loadDatabase(service: TableService): Promise<DatabaseDefinition> {
  return DATABASES[service]();
}

/** Loads the factories of the named services. */
export function loadServices(names: readonly AnyService[]): Promise<ServiceFactory<Runtime>[]> {
  return Promise.all(names.map((name) => CATALOGUE[name]()));
}

/**
 * Reads service names from the command line.
 * @throws StartupError if there are none, or one does not exist
 */
export function serviceNames(args: readonly string[]): AnyService[] {
  const names = [...new Set(args)];
  if (names.length === 0 || !names.every(isServiceName)) {
    throw new StartupError(`Usage: npm run service -- <name>... (of ${ALL_SERVICES.join(', ')})`);
  }
  return names;
}

function isServiceName(name: string): name is AnyService {
  return (ALL_SERVICES as readonly string[]).includes(name);
}
