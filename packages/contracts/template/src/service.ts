/** Wires the parts of the service. */
import { createRequire } from 'node:module';
import { brokerOptions, implementCommand, nodeHealth, startNode } from '@association-service/contracts/moleculer';
import type { RunningNode } from '@association-service/contracts/moleculer';
import { serveProbes, serviceLog, startTracing } from '@association-service/contracts/service';
import type { ServiceSettings, Start } from '@association-service/contracts/service';
import { openSqlDatabase, startSubscriptions } from '@association-service/contracts/subscriber';
import type { SqlDatabase, Subscriptions } from '@association-service/contracts/subscriber';
import { NAME, paidTotal } from './contracts.ts';
import { MIGRATIONS } from './migrations.ts';
import { readTotal } from './paid-total.store.ts';
import { SUBSCRIPTIONS } from './subscriptions.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** The running service. */
export interface RunningService {
  node: RunningNode;
  subscriptions: Subscriptions;
  metricsUrl: string;
}

/**
 * Starts the service.
 * @param onStop registers what must be stopped, the latest first, even if the start fails
 * @throws StartupError with a message of one line
 */
export async function startService(settings: ServiceSettings, onStop: Start['onStop']): Promise<RunningService> {
  const { natsUrl, metricsHost, metricsPort } = settings;
  const log = serviceLog(NAME, settings.logLevel);
  const probes = await serveProbes({ host: metricsHost, port: metricsPort, services: [NAME], version });
  onStop(() => probes.close());
  const stopTracing = await startTracing(process.env, { name: NAME, version }, (line) => log.warn(line));
  if (stopTracing !== undefined) onStop(stopTracing);
  const db = await openSqlDatabase(settings.databaseUrl, MIGRATIONS);
  onStop(() => db.close());
  const subscriptions = await startSubscriptions({ natsUrl, name: NAME, db, log }, SUBSCRIPTIONS);
  onStop(() => subscriptions.stop());
  const broker = brokerOptions(settings, natsUrl, { metrics_port: probes.port });
  const node = await startNode({ services: [moleculerService], runtime: db, broker });
  onStop(() => {
    probes.stopping();
    return node.stop();
  });
  probes.ready(node.broker.nodeID, () => nodeHealth(node.broker));
  return { node, subscriptions, metricsUrl: `${probes.url}/metrics` };
}

function moleculerService(db: SqlDatabase) {
  return {
    name: NAME,
    actions: {
      paid_total: implementCommand(paidTotal, ({ association_id }) => readTotal(db, association_id)),
    },
    methods: {
      /** Whether the service can serve; the health of the process consists of it. */
      async readiness() {
        await db.first('SELECT 1');
        return { status: 'ready' };
      },
    },
  };
}
