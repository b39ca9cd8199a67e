/** The databases with dead letters, and how their events are handled again. */
import { TABLE_SERVICES, type AnyService, type FurtherService } from '../lib/config/service-names.ts';
import type { Settings } from '../lib/config/settings.ts';
import type { SqlPool } from '../lib/db/sql.ts';
import { openSqlDatabase } from '../lib/db/sql-database.ts';
import { attachDatabases } from '../lib/embedded/infrastructure.ts';
import type { Subscription } from '../lib/events/handle-events.ts';
import { Outbox } from '../lib/events/outbox.ts';
import type { Clock } from '../lib/node/clock.ts';
import { createRuntime } from '../lib/node/create-runtime.ts';
import { databaseOf } from '../lib/node/resources.ts';
import { openSubscriptions } from '../lib/service/open-service.ts';
import { loadDefinition, loadSubscriptions } from './catalogue.ts';
import { openSources } from './verify/sources.ts';

/** The dead letters of one service. */
export interface LetterSource {
  service: AnyService;
  db: SqlPool;
  /** Loads the subscriptions that handle them. */
  subscriptions(): Promise<readonly Subscription[]>;
}

export interface LetterSources {
  services: readonly LetterSource[];
  clock: Clock;
  close(): Promise<void>;
}

/** Opens those of the services with tables. @throws StartupError */
export async function openLedgerLetters(settings: Settings): Promise<LetterSources> {
  const sources = await openSources(settings, 'dead-letters');
  const runtime = await createRuntime(settings, sources);
  const { clock, newId } = runtime;
  const services = TABLE_SERVICES.map((service): LetterSource => {
    const subscriptions = () => loadSubscriptions(service, { runtime, outbox: new Outbox(service, clock, newId) });
    return { service, db: sources.db[service], subscriptions };
  });
  return { services, clock, close: () => sources.close() };
}

/** Opens those of a further service, with the settings and secrets that its processes have. @throws StartupError */
export async function openFurtherLetters(settings: Settings, service: FurtherService): Promise<LetterSources> {
  const definition = await loadDefinition(service);
  const databases = await attachDatabases(settings, [service]);
  const runtime = await createRuntime(settings, { natsUrl: '', databases });
  const db = await openSqlDatabase(databaseOf({ databases }, service).url, []);
  const stops: (() => Promise<void>)[] = [() => db.close()];
  let subscriptions: Promise<readonly Subscription[]> | undefined;
  const load = async () => {
    const { production } = settings;
    const host = { ...runtime, production, env: process.env, makeSecret: runtime.resources.secrets.makeSecret };
    const opened = await openSubscriptions(definition, host, db);
    stops.push(opened.stop);
    return opened.subscriptions;
  };
  return {
    services: [{ service, db, subscriptions: () => (subscriptions ??= load()) }],
    clock: runtime.clock,
    async close() {
      for (const stop of stops.reverse()) await stop();
    },
  };
}
