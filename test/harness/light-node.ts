import type { Context, Middleware, ServiceBroker, ServiceSchema } from 'moleculer';
import { brokerOptions } from '../../moleculer.config.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import type { BatchingNats } from '../../lib/transport/batching-nats.ts';
import { startNode, type RunningNode } from '../../lib/node/node.ts';
import { testRuntime } from './runtime.ts';
import { natsUrl } from './servers.ts';

/** Returns the transporter of a broker, which Moleculer's types do not show. */
export function transporterOf(broker: ServiceBroker): BatchingNats {
  return (broker.transit as unknown as { tx: BatchingNats }).tx;
}

/** Returns a function that calls a node's action, even after the node has withdrawn it: as a caller that chose the node before. */
export function callOfNode(
  broker: ServiceBroker,
  action: string,
  nodeID: string,
): (params: object) => Promise<unknown> {
  const chosen = broker.registry.getActionEndpointByNodeId(action, nodeID);
  const send = chosen.action.handler as unknown as (ctx: Context) => Promise<unknown>;
  return (params) => send(broker.ContextFactory.create(broker, chosen, params, {}));
}

interface LightNodeOptions {
  /** Called with the type of each message; those that it refuses are lost. */
  admits?: (type: string) => boolean;
  nats?: string;
}

/** Starts a node without databases. */
export function startLightNode(
  nodeId: string,
  services: ServiceSchema[],
  { admits = () => true, nats = natsUrl() }: LightNodeOptions = {},
): Promise<RunningNode> {
  const settings = { ...loadSettings({ LOG_LEVEL: 'fatal' }), nodeId };
  const broker = brokerOptions(settings, nats);
  type Handler = (type: string, packet: unknown) => Promise<unknown>;
  const transitMessageHandler = (next: Handler) => (type: string, packet: unknown) =>
    admits(type) ? next(type, packet) : Promise.resolve(false);
  // Moleculer's type of this hook is wrong.
  broker.middlewares?.push({ name: 'Messages', transitMessageHandler } as unknown as Middleware);
  return startNode({
    services: services.map((each) => () => each),
    runtime: testRuntime({}, { settings }),
    broker,
  });
}

/** A service whose action answers with the name of its node. */
export function whoService(more: Partial<ServiceSchema> = {}): ServiceSchema {
  const who = ({ broker }: { broker: ServiceBroker }) => broker.nodeID;
  return { name: 'work', actions: { who }, ...more };
}
