import { setTimeout as delay } from 'node:timers/promises';
import { ServiceBroker, type BrokerOptions, type Service, type ServiceSchema } from 'moleculer';
import { StartupError } from '../config/startup-error.ts';
import { portError } from './ports.ts';
import type { Runtime } from './runtime.ts';

/** Makes a service once what it stands on (its database, JetStream) is there. */
export type ServiceFactory = (runtime: Runtime) => ServiceSchema | Promise<ServiceSchema>;

export interface NodeOptions {
  services: readonly ServiceFactory[];
  runtime: Runtime;
  /** Its `tracking.shutdownTimeout` is how long a stop waits for what is in flight. */
  broker: BrokerOptions;
}

export interface RunningNode {
  broker: ServiceBroker;
  /** Finishes what is in flight, then leaves the cluster. May be called again. */
  stop(): Promise<void>;
}

/** A service that takes work from outside the cluster stops taking it, and finishes what it has, in `drain`. */
interface DrainingService extends Service {
  drain?: () => Promise<void>;
}

// Migrations of a large table run at start; a connection that hangs still has to end.
const START_TIMEOUT_MS = 120_000;
// A start that failed has nothing in flight.
const FAILED_STOP_TIMEOUT_MS = 3_000;

/**
 * Starts services on a broker of their own, connected by NATS with the others.
 * @throws {StartupError} when one of them cannot start; what was started is stopped again.
 */
export async function startNode({ services, runtime, broker: options }: NodeOptions): Promise<RunningNode> {
  const { settings } = runtime;
  const broker = new ServiceBroker(options);
  leaveStartErrorsToCaller(broker);
  try {
    const made = await Promise.allSettled(services.map(async (factory) => factory(runtime)));
    // Those that were made hold connections, which their end closes: they need it although another one failed.
    for (const each of made) if (each.status === 'fulfilled') broker.createService(each.value);
    const failed = made.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    await withinTime(broker.start());
  } catch (error) {
    await Promise.race([broker.stop(), delay(FAILED_STOP_TIMEOUT_MS, undefined, { ref: false })]);
    throw portError(error, settings.host, settings.port) ?? error;
  }
  let stopping: Promise<void> | undefined;
  return { broker, stop: () => (stopping ??= drainAndStop(broker, settings.drainDelayS * 1_000)) };
}

/**
 * First the services that take work from outside, while all the others still answer them: the broker stops its
 * services side by side, and a request that came in would find the service that it needs gone.
 */
async function drainAndStop(broker: ServiceBroker, lead_ms: number): Promise<void> {
  const draining = (broker.services as DrainingService[]).filter(({ drain }) => drain !== undefined);
  // Others are killed sooner: see docker-compose.yml.
  const timeout_ms = broker.options.tracking?.shutdownTimeout ?? 0;
  const end_ms = performance.now() + (draining.length > 0 ? lead_ms : 0) + timeout_ms;
  const left_ms = () => Math.max(0, end_ms - performance.now());
  const drains = draining.map(async (service) => service.drain?.());
  await Promise.race([Promise.allSettled(drains), delay(left_ms(), undefined, { ref: false })]);
  // Moleculer waits for the calls to others, then for each service's own: all of it within the same time.
  Object.defineProperty(broker.options.tracking ?? {}, 'shutdownTimeout', {
    get: () => Math.min(left_ms(), timeout_ms),
  });
  await broker.stop();
}

/** The broker logs the error that it then throws. The caller reports it; for a StartupError in one line, without a stack. */
function leaveStartErrorsToCaller(broker: ServiceBroker): void {
  const { logger } = broker;
  const log = logger.error.bind(logger);
  logger.error = (...args: unknown[]) => {
    if (args[0] !== 'Unable to start all services.') log(...args);
  };
}

/** @throws {StartupError} when the start takes too long */
async function withinTime(start: Promise<unknown>): Promise<void> {
  const late = delay(START_TIMEOUT_MS, true, { ref: false });
  if ((await Promise.race([start, late])) !== true) return;
  throw new StartupError(`The services did not start within ${String(START_TIMEOUT_MS / 1_000)} s: see the log.`);
}
