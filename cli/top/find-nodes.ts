import { hostname } from 'node:os';
import { ServiceBroker } from 'moleculer';
import { brokerOptions, type NodeMetadata } from '../../moleculer.config.ts';
import { OPERATOR } from '../../lib/config/service-names.ts';
import type { Settings } from '../../lib/config/settings.ts';

/** A process whose metrics can be read. */
export interface FoundNode {
  name: string;
  /** The node that must answer, as another process may have its port; undefined if any may. */
  id: string | undefined;
  /** The services that it offers at present. */
  services: string[];
  /** Where its metrics may be: one of them answers. Empty if it has not said where. */
  origins: string[];
}

/** An entry of Moleculer's registry. */
interface RegisteredNode {
  id: string;
  hostname: string | null;
  ipList: string[] | null;
  metadata: NodeMetadata | null;
  services: { name: string }[];
}

export interface NodeFinder {
  nodes(): FoundNode[];
  stop(): Promise<void>;
}

/** Finds nodes as they find one another: as a node without services, which gets no calls. */
export async function findNodes(settings: Settings, natsUrl: string): Promise<NodeFinder> {
  const broker = new ServiceBroker({
    ...brokerOptions(settings, natsUrl),
    nodeID: `${OPERATOR}.top-${hostname()}-${String(process.pid)}`,
    internalServices: false,
    logger: false,
  });
  await broker.start();
  return {
    nodes: () =>
      // Moleculer's types lack the entries.
      (broker.registry.getNodeList({ onlyAvailable: true, withServices: true }) as unknown as RegisteredNode[])
        .filter(({ id, metadata, services }) => id !== broker.nodeID && (metadata?.metrics_port ?? services.length) > 0)
        .map(foundNode)
        .toSorted((a, b) => a.name.localeCompare(b.name)),
    stop: () => broker.stop(),
  };
}

function foundNode({ id, hostname: host, ipList, metadata, services }: RegisteredNode): FoundNode {
  const port = metadata?.metrics_port;
  // A process listens on loopback unless METRICS_HOST is set.
  const addresses = [...(host === hostname() ? ['127.0.0.1'] : []), ...(ipList ?? [])];
  return {
    name: id,
    id,
    services: services.map(({ name }) => name).filter((name) => !name.startsWith('$')),
    origins: port === undefined ? [] : [...new Set(addresses)].map((address) => originOf(address, port)),
  };
}

function originOf(address: string, port: number): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${String(port)}`;
}
