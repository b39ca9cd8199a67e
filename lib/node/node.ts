import { setTimeout as delay } from 'node:timers/promises';
import { ServiceBroker, type BrokerOptions, type Service, type ServiceSchema } from 'moleculer';
import { StartupError } from '../config/startup-error.ts';
import { Discoverer } from '../transport/discoverer.ts';

/** Builds a service with its dependencies `R`, once its database and JetStream are available. */
export type ServiceFactory<R> = (runtime: R & { broker: ServiceBroker }) => ServiceSchema | Promise<ServiceSchema>;

export interface NodeOptions<R> {
  services: readonly ServiceFactory<R>[];
  runtime: R;
  /** How long a service with `drain` still accepts requests when the node stops. */
  drain_delay_ms?: number;
  /** Its `tracking.shutdownTimeout` limits how long a stop waits for calls in flight. */
  broker: BrokerOptions;
}

export interface RunningNode {
  broker: ServiceBroker;
  /** Finishes the calls in flight, then leaves the cluster. May be called again. */
  stop(): Promise<void>;
}

/** A service that accepts requests from outside the cluster. Its `drain` accepts no more and finishes those in flight. */
interface DrainingService extends Service {
  drain?: () => Promise<void>;
}

// Long enough for migrations of a large table. It ends a start whose connection hangs.
const START_TIMEOUT_MS = 120_000;
// A stop takes hardly longer than its last call.
const IDLE_POLL_MS = 20;
// Short, as a failed start has nothing in flight.
const FAILED_STOP_TIMEOUT_MS = 3_000;

/**
 * Starts services on a new broker, which NATS connects with the others.
 * @throws StartupError if one of them cannot start; the others are stopped again
 */
export async function startNode<R>({
  services,
  runtime,
  broker: options,
  drain_delay_ms = 0,
}: NodeOptions<R>): Promise<RunningNode> {
  const broker = new ServiceBroker(options);
  leaveStartErrorsToCaller(broker);
  try {
    const made = await Promise.allSettled(services.map(async (factory) => factory({ ...runtime, broker })));
    // Services that were built hold connections, which their stop closes, so they are added even if another one has failed.
    for (const each of made) if (each.status === 'fulfilled') broker.createService(each.value);
    const failed = made.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    await withinTime(broker.start());
    await discovererOf(broker)?.announce();
  } catch (error) {
    await Promise.race([broker.stop(), delay(FAILED_STOP_TIMEOUT_MS, undefined, { ref: false })]);
    throw error;
  }
  let stopping: Promise<void> | undefined;
  return { broker, stop: () => (stopping ??= drainAndStop(broker, drain_delay_ms)) };
}

/**
 * Drains the services that accept requests from outside, while the others still answer them. Then the node leaves the
 * cluster: it gets no more calls, and finishes those that it has. Only then the broker stops. It stops its services
 * concurrently, so that an accepted call would not find the service that it needs.
 */
async function drainAndStop(broker: ServiceBroker, drain_delay_ms: number): Promise<void> {
  const draining = (broker.services as DrainingService[]).filter(({ drain }) => drain !== undefined);
  // Containers without a gateway are killed sooner: see docker-compose.yml.
  const timeout_ms = broker.options.tracking?.shutdownTimeout ?? 0;
  const end_ms = performance.now() + (draining.length > 0 ? drain_delay_ms : 0) + timeout_ms;
  const left_ms = () => Math.max(0, end_ms - performance.now());
  const drains = draining.map(async (service) => service.drain?.());
  await Promise.race([Promise.allSettled(drains), delay(left_ms(), undefined, { ref: false })]);
  // Without NATS the node cannot leave in order, and gets no calls either.
  const leaving = discovererOf(broker)
    ?.leave()
    .catch(() => undefined);
  await Promise.race([leaving, delay(left_ms(), undefined, { ref: false })]);
  while (hasCalls(broker) && left_ms() > 0) await delay(IDLE_POLL_MS);
  // Moleculer waits for the calls to other nodes and then for those of each service. All waits share the time that is left.
  Object.defineProperty(broker.options.tracking ?? {}, 'shutdownTimeout', {
    get: () => Math.min(left_ms(), timeout_ms),
  });
  await broker.stop();
}

/** Whether the node executes an action or waits for the answer of another node. */
function hasCalls(broker: ServiceBroker): boolean {
  // Moleculer's context tracker keeps these lists, which its types do not show.
  const lists = [broker, ...broker.services] as unknown as { _trackedContexts?: unknown[] }[];
  return lists.some(({ _trackedContexts: contexts = [] }) => contexts.length > 0);
}

/** Returns undefined for a broker with another discovery, as in tests without NATS. */
function discovererOf({ registry }: ServiceBroker): Discoverer | undefined {
  return registry.discoverer instanceof Discoverer ? registry.discoverer : undefined;
}

/** Prevents the broker from logging the error that it then throws, as the caller reports it. */
function leaveStartErrorsToCaller(broker: ServiceBroker): void {
  const { logger } = broker;
  const log = logger.error.bind(logger);
  logger.error = (...args: unknown[]) => {
    if (args[0] !== 'Unable to start all services.') log(...args);
  };
}

/** @throws StartupError if the start takes too long */
async function withinTime(start: Promise<unknown>): Promise<void> {
  const late = delay(START_TIMEOUT_MS, true, { ref: false });
  if ((await Promise.race([start, late])) !== true) return;
  throw new StartupError(`The services did not start within ${String(START_TIMEOUT_MS / 1_000)} s: see the log.`);
}
