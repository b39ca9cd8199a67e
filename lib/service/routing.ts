/** Chooses the node that a call goes to, for services that work better if one node serves an association. */
import type { ServiceBroker } from 'moleculer';

type Registry = ServiceBroker['registry'];

/**
 * The Moleculer metadata of a service whose calls for one association, or else for one wallet, go to one node. Routing only
 * saves work: any node may serve any association, and several do while nodes come and go.
 */
export const ROUTED_BY_ASSOCIATION = { is_routed_by_association: true } as const;

/** The fields that name an association or a wallet, in a command or in the path of an endpoint. */
interface Named {
  association_id?: unknown;
  wallet_id?: unknown;
}

/** Returns the nodes whose service is in the registry, which means that they can serve. */
export function nodesWith(registry: Registry | undefined, action: string): string[] {
  // The list is undefined for an action that no node has ever had, which is not in Moleculer's types.
  const endpoints = registry?.getActionEndpoints(action)?.endpoints ?? [];
  return endpoints.filter(({ isAvailable }) => isAvailable).map(({ id }) => id);
}

/** Returns what decides on the node of a call; undefined if any node is as good. */
export function routingKey(registry: Registry | undefined, action: string, params: unknown): string | undefined {
  const endpoints = (registry?.getActionEndpoints(action)?.endpoints ?? []) as unknown as Announced[];
  // A single node needs no choice.
  if (endpoints.length < 2 || !endpoints.some(isRouted)) return undefined;
  const { path, ...flat } = params as Named & { path?: Named };
  const { association_id, wallet_id } = path ?? flat;
  const key = association_id ?? wallet_id;
  return typeof key === 'string' ? key : undefined;
}

/** An endpoint with the service that its node has announced, which Moleculer's types do not show. */
interface Announced {
  service: { metadata: Partial<typeof ROUTED_BY_ASSOCIATION> };
}

function isRouted({ service }: Announced): boolean {
  return service.metadata.is_routed_by_association === true;
}

/**
 * Chooses the node of a key by rendezvous hashing: the node with the highest score for the key. If a node leaves, only its
 * keys move; if one joins, it takes its share. There is no state to rebuild. Moleculer's ring, which has equal slices in the
 * order of the nodes, moves most keys at each change.
 */
export function nodeFor(key: string, nodes: readonly string[]): string | undefined {
  const key_hash = hashOf(key, 0);
  let best: string | undefined;
  let best_score = -1;
  for (const node of nodes) {
    const score = hashOf(node, key_hash);
    // Equal scores must not depend on the order of the nodes.
    if (score > best_score || (score === best_score && node > best!)) [best, best_score] = [node, score];
  }
  return best;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a with the last step of MurmurHash3, without which similar names get similar scores. */
function hashOf(text: string, seed: number): number {
  let hash = FNV_OFFSET ^ seed;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
