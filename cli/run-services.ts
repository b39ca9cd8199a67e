import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import type { Service } from 'moleculer';
import { brokerOptions } from '../moleculer.config.ts';
import type { AnyService } from '../lib/config/service-names.ts';
import { requireForProduction, type Settings } from '../lib/config/settings.ts';
import { API_BASE } from '../lib/contracts/api.ts';
import type { Infrastructure } from '../lib/embedded/infrastructure.ts';
import { refuseForeignLogin, refuseOpenNats } from '../lib/embedded/probe.ts';
import { requirePort } from '../lib/node/ports.ts';
import { createRuntime } from '../lib/node/create-runtime.ts';
import { nodeHealth } from '../lib/node/node-health.ts';
import { startNode, type RunningNode } from '../lib/node/node.ts';
import { startTracing } from '../lib/tracing/start-tracing.ts';
import { serveProbes } from '../lib/telemetry/probes.ts';
import { loadServices } from './catalogue.ts';
import type { Start } from '../lib/node/run.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** How often each server is checked, and so the longest time for which this process uses a server without a login. */
const NATS_LOGIN_CHECK_MS = 15_000;

/**
 * Starts the named services on the servers from `infrastructure`. npm start and npm run service share it.
 * @returns the node, the URL of its metrics and, if it runs the gateway, the URL of the API
 */
export async function runServices(
  settings: Settings,
  names: readonly AnyService[],
  infrastructure: () => Promise<Infrastructure>,
  { onStop, fail, log }: Start,
  login_check_ms = NATS_LOGIN_CHECK_MS,
): Promise<{ node: RunningNode; metricsUrl: string; url: string | undefined }> {
  requireForProduction(settings, names);
  // Checked before the servers are started, which takes seconds: a port in use is the most common reason not to start.
  if (names.includes('gateway')) await requirePort(settings.host, settings.port);
  const probes = await serveProbes({
    host: settings.metricsHost,
    port: settings.metricsPort,
    services: names,
    version,
  });
  onStop(() => probes.close());
  const stopTracing = await startTracing(process.env, { name: names.join(','), version }, log);
  if (stopTracing !== undefined) onStop(stopTracing);
  const services = await loadServices(names);
  const servers = await infrastructure();
  onStop(() => servers.stop());
  await refuseForeignLogin(servers.natsUrl, settings.nodeId);
  const runtime = await createRuntime(settings, servers);
  const broker = brokerOptions(settings, servers.natsUrl, { metrics_port: probes.port });
  const node = await startNode({ services, runtime, broker, drain_delay_ms: settings.drainDelayS * 1_000 });
  // A service that does not answer must not keep the gateway from starting: it is asked again, and logged.
  await gatewayOf(node)
    ?.furtherApis?.learn()
    .catch(() => undefined);
  probes.ready(node.broker.nodeID, () => nodeHealth(node.broker));
  onStop(() => {
    probes.stopping();
    return node.stop();
  });
  if (settings.production) onStop(watchNatsLogin(servers.natsUrl, fail, login_check_ms));
  return { node, metricsUrl: `${probes.url}/metrics`, url: apiUrl(settings, node) };
}

/**
 * Ends the process when a server of NATS_URL accepts clients without credentials: it may have been unavailable at the
 * start.
 * @returns a function that ends the watch
 */
function watchNatsLogin(natsUrl: string, fail: Start['fail'], every_ms: number): () => Promise<void> {
  const timer = setInterval(() => {
    refuseOpenNats(natsUrl).catch((error: unknown) => fail((error as Error).message));
  }, every_ms).unref();
  return () => {
    clearInterval(timer);
    return Promise.resolve();
  };
}

/** The gateway's service, with its members. */
interface Gateway extends Service {
  server?: Server;
  furtherApis?: { learn(): Promise<void> };
}

function gatewayOf({ broker }: RunningNode): Gateway | undefined {
  return broker.getLocalService('gateway');
}

function apiUrl(settings: Settings, node: RunningNode): string | undefined {
  const gateway = gatewayOf(node);
  if (gateway === undefined) return undefined;
  // With PORT=0, the system has chosen the port.
  const { port } = (gateway.server?.address() as AddressInfo | null | undefined) ?? settings;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return `http://${host}:${String(port)}${API_BASE}`;
}
