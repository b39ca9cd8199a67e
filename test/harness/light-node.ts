import type { Middleware, ServiceBroker, ServiceSchema } from 'moleculer';
import { brokerOptions } from '../../moleculer.config.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { startNode, type RunningNode } from '../../lib/node/node.ts';
import { testRuntime } from './runtime.ts';
import { natsUrl } from './servers.ts';

/** Starts a node without databases. `admits` is called with the type of each message; those that it refuses are lost. */
export function startLightNode(
  nodeId: string,
  services: ServiceSchema[],
  admits: (type: string) => boolean = () => true,
): Promise<RunningNode> {
  const settings = { ...loadSettings({ LOG_LEVEL: 'fatal' }), nodeId };
  const broker = brokerOptions(settings, natsUrl());
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
