import type { BrokerOptions, LoggerConfig, LogLevels } from 'moleculer';
import { natsConnectOptions } from './lib/config/server-urls.ts';
import type { LogLevel } from './lib/config/log-levels.ts';
import { jsonLog, partOfLog } from './lib/node/log.ts';
import { contractValidator } from './lib/schema/validator.ts';
import { measureActions } from './lib/telemetry/measure-actions.ts';
import { followCalls } from './lib/tracing/follow-calls.ts';
import { BatchingNats } from './lib/transport/batching-nats.ts';
import { Discoverer } from './lib/transport/discoverer.ts';

// Longer than the slowest action (a settlement of 10 000 members) takes, and shorter than clients and proxies wait (30 s
// and more). By default, Moleculer waits without a limit.
export const REQUEST_TIMEOUT_MS = 10_000;

// How long a stop waits for calls in flight. It leaves 3 s of the 10 s that Docker gives a container to stop.
export const DRAIN_TIMEOUT_MS = 7_000;

/** The settings of a node. */
export interface NodeSettings {
  /** Begins with the node's login at NATS. */
  nodeId: string;
  production: boolean;
  logLevel: LogLevel;
}

/** What a node tells the others about itself, besides its services. */
export interface NodeMetadata {
  metrics_port?: number;
}

/** Returns the options of a node's broker; `natsUrl` has the form of NATS_URL. */
export function brokerOptions(settings: NodeSettings, natsUrl: string, metadata: NodeMetadata = {}): BrokerOptions {
  return {
    nodeID: settings.nodeId,
    metadata,
    transporter: new BatchingNats({ ...natsConnectOptions(natsUrl) }),
    // A stopping node has already left when the broker stops: see lib/node/node.ts.
    registry: { discoverer: new Discoverer(), stopDelay: 0 },
    // Other nodes are told at once that a service can be called again, or cannot. Moleculer waits for a second.
    transit: { serviceChangedDebounceTime: 0 } as NonNullable<BrokerOptions['transit']>,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A request that timed out may have run: a repeat would run it twice.
    retryPolicy: { enabled: false },
    // The first is the innermost. Moleculer's own order tracks a call inside its timeout: a call that timed out would never
    // end, and each stop would wait for it.
    internalMiddlewares: false,
    middlewares: [
      'ActionHook',
      'Validator',
      'Timeout',
      'ErrorHandler',
      'ContextTracker',
      measureActions(),
      followCalls(),
    ],
    // Without tracking, a stop drops calls in flight.
    tracking: { enabled: true, shutdownTimeout: DRAIN_TIMEOUT_MS },
    logger: logger(settings),
    // lib/node/run.ts handles signals: it stops the broker first and then the servers.
    skipProcessEventRegistration: true,
    validator: contractValidator(),
    metrics: false,
    tracing: false,
  };
}

/** Logs JSON lines in production, readable lines elsewhere. Moleculer's own modules log only warnings unless at `debug`. */
function logger(settings: Pick<NodeSettings, 'production' | 'logLevel'>): LoggerConfig {
  const level = settings.logLevel;
  const quiet: LogLevels = level === 'info' ? 'warn' : level;
  const framework = ['BROKER', 'REGISTRY', 'TRANSIT', 'TRANSPORTER', 'DISCOVERER', 'CACHER', '$NODE'];
  const levels = { ...Object.fromEntries(framework.map((module) => [module, quiet])), '**': level };
  if (!settings.production)
    return { type: 'Console', options: { level: levels, formatter: 'short', autoPadding: true } };
  const log = jsonLog();
  const createLogger = (part: string, bindings: Record<string, string>) => partOfLog(log, part, bindings);
  return { type: 'Pino', options: { level: levels, createLogger } };
}
