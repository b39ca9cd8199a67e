import type { Service, ServiceBroker } from 'moleculer';
import type { Health } from '../telemetry/probe-server.ts';

/** A healthy service answers within milliseconds; one that takes longer than this cannot serve requests either. */
const CHECK_TIMEOUT_MS = 1_000;

/** A service whose state consists of more than its own database, such as the gateway. Rejects while it cannot serve. */
interface CheckedService extends Service {
  readiness?: () => Promise<{ status: 'ready' | 'degraded' }>;
}

type ServiceState = Health['services'][string];

/** Returns the state of the services of one process, each with its database. */
export async function nodeHealth(broker: ServiceBroker): Promise<Health> {
  const own = (broker.services as CheckedService[]).filter(({ name }) => !name.startsWith('$'));
  const states = await Promise.all(own.map(async (service) => [service.name, await stateOf(service)] as const));
  const found = states.map(([, state]) => state);
  const status = found.includes('down') ? 'down' : found.includes('degraded') ? 'degraded' : 'ready';
  return { status, services: Object.fromEntries(states) };
}

async function stateOf(service: CheckedService): Promise<ServiceState> {
  try {
    const isDegraded =
      service.readiness === undefined
        ? await hasDelayedEvents(service)
        : (await service.readiness()).status === 'degraded';
    return isDegraded ? 'degraded' : 'up';
  } catch {
    // The service logs the reason itself. Without its database, it is not in the registry.
    return 'down';
  }
}

async function hasDelayedEvents({ broker, name }: Service): Promise<boolean> {
  const options = { nodeID: broker.nodeID, timeout: CHECK_TIMEOUT_MS };
  const { delayed_events } = await broker.call<{ delayed_events?: boolean }, object>(`${name}.health`, {}, options);
  return delayed_events === true;
}
