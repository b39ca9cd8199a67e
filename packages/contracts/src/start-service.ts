/** Runs one service in a process of its own. */
import { brokerOptions } from '../../../moleculer.config.ts';
import { keyObjectsOf } from '../../../lib/config/caller-keys.ts';
import { readServiceSettings, type ServiceSettings } from '../../../lib/config/other-service.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import type { Subscriptions } from '../../../lib/events/subscriptions.ts';
import { nodeHealth } from '../../../lib/node/node-health.ts';
import { startNode, type RunningNode } from '../../../lib/node/node.ts';
import { run, type Start } from '../../../lib/node/run.ts';
import type { ServiceDefinition, ServiceRuntime } from '../../../lib/service/define-service.ts';
import { openDefinedService, type OpenedService } from '../../../lib/service/open-service.ts';
import { serveProbes } from '../../../lib/telemetry/probes.ts';
import { startTracing } from '../../../lib/tracing/start-tracing.ts';
import { systemRuntime } from './system-runtime.ts';

/** The running service. */
export interface RunningService {
  node: RunningNode;
  /** Its subscriptions, for tests that wait until an event is handled. */
  subscriptions: Subscriptions;
  metricsUrl: string;
}

/** Replaces time, randomness and fault points, for tests. */
export type RuntimeOverrides = Partial<ServiceRuntime>;

/**
 * Starts a service.
 * @param onStop registers what must be stopped, the latest first, even if the start fails
 * @throws StartupError with a message of one line
 */
export async function startService<S>(
  definition: ServiceDefinition<S>,
  settings: ServiceSettings,
  onStop: Start['onStop'],
  overrides: RuntimeOverrides = {},
): Promise<RunningService> {
  const { name, version } = definition;
  const { natsUrl, databaseUrl, metricsHost, metricsPort, production, env } = settings;
  const callerKeys = keyObjectsOf(settings.callerKeys ?? []);
  if (definition.api !== undefined && callerKeys.length === 0) {
    throw new StartupError(
      `CALLER_KEY is not set: it must be the secret that gateways have as ${name.toUpperCase()}_CALLER_KEY.`,
    );
  }
  if (production && settings.clock === 'test') throw new StartupError('CLOCK=test is for tests only: leave CLOCK out.');
  const probes = await serveProbes({ host: metricsHost, port: metricsPort, services: [name], version });
  onStop(() => probes.close());
  const stopTracing = await startTracing(
    process.env,
    { name, version },
    (line) => void process.stderr.write(`${line}\n`),
  );
  if (stopTracing !== undefined) onStop(stopTracing);
  const { runtime: system, testClock } = systemRuntime(settings);
  const runtime = { ...system, ...overrides };
  let opened: OpenedService | undefined;
  const node = await startNode({
    services: [
      async ({ broker }) => {
        const host = { ...runtime, natsUrl, databaseUrl, production, callerKeys, testClock, env, broker };
        return (opened = await openDefinedService(definition, host)).schema;
      },
    ],
    runtime: {},
    broker: brokerOptions(settings, natsUrl, { metrics_port: probes.port }),
  });
  onStop(() => {
    probes.stopping();
    return node.stop();
  });
  probes.ready(node.broker.nodeID, () => nodeHealth(node.broker));
  return { node, subscriptions: opened!.subscriptions(), metricsUrl: `${probes.url}/metrics` };
}

/** Runs a service until SIGTERM or SIGINT, with the settings of the environment. A mistake in them is one line on stderr. */
export function runService<S>(definition: ServiceDefinition<S>): Promise<void> {
  return run(
    () => readServiceSettings(definition.name),
    async (settings, { onStop }) => {
      const { metricsUrl } = await startService(definition, settings, onStop);
      return `${definition.name}: service ready, metrics on ${metricsUrl}`;
    },
  );
}
