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

/** An endpoint with the service that its node has announced, which Moleculer's types do not show. */
interface Announced {
  id: string;
  isAvailable: boolean;
  service: { metadata: Partial<typeof ROUTED_BY_ASSOCIATION> };
}

function endpointsOf(registry: Registry | undefined, action: string): readonly Announced[] {
  // The list is undefined for an action that no node has ever had, which is not in Moleculer's types.
  return registry?.getActionEndpoints(action)?.endpoints ?? NONE;
}

const NONE: readonly never[] = [];

/** Returns the nodes whose service is in the registry, which means that they can serve. */
export function nodesWith(registry: Registry | undefined, action: string): string[] {
  const nodes: string[] = [];
  for (const { id, isAvailable } of endpointsOf(registry, action)) if (isAvailable) nodes.push(id);
  return nodes;
}

/** Returns what decides on the node of a call; undefined if any node is as good. */
export function routingKey(registry: Registry | undefined, action: string, params: unknown): string | undefined {
  const endpoints = endpointsOf(registry, action);
  // A single node needs no choice.
  if (endpoints.length < 2 || !endpoints.some(isRouted)) return undefined;
  const { path, association_id, wallet_id } = params as Named & { path?: Named };
  const key = path === undefined ? (association_id ?? wallet_id) : (path.association_id ?? path.wallet_id);
  return typeof key === 'string' ? key : undefined;
}

function isRouted({ service }: Announced): boolean {
  return service.metadata.is_routed_by_association === true;
}

/**
 * Chooses the node of a key by rendezvous hashing: the node with the highest score for the key. If a node leaves, only its
 * keys move; if one joins, it takes its share. There is no ring to rebuild. Moleculer's has equal slices in the order of the
 * nodes, so that most keys move at each change.
 */
export function nodeFor(key: string, nodes: readonly string[]): string | undefined {
  const key_hash = hashOf(key);
  let best: string | undefined;
  let best_score = -1;
  for (const node of nodes) {
    const score = mixed(key_hash ^ hashOfNode(node));
    // Equal scores must not depend on the order of the nodes.
    if (score > best_score || (score === best_score && node > best!)) [best, best_score] = [node, score];
  }
  return best;
}

/** Bounds the memory for the names of nodes that were restarted long ago. */
const HASHES_MAX = 1_000;
const hashes = new Map<string, number>();

/** Remembers the hash, as the same few nodes are hashed for each call. */
function hashOfNode(node: string): number {
  let hash = hashes.get(node);
  if (hash === undefined) {
    if (hashes.size >= HASHES_MAX) hashes.clear();
    hashes.set(node, (hash = hashOf(node)));
  }
  return hash;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a, which is short, and fast for short texts. */
function hashOf(text: string): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  return hash;
}

/** The last step of MurmurHash3: without it, similar names get similar scores. */
function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
