import { LRUCache } from 'lru-cache';
import type { Middleware } from 'moleculer';

/** The requests of some seconds under full load. A copy that comes later is as unlikely as a request with the same id. */
const REMEMBERED_MAX = 20_000;

interface RequestPacket {
  payload: { id?: string; sender?: string; stream?: boolean };
}

type Handle = (type: string, packet: RequestPacket) => Promise<unknown>;

/**
 * Returns a middleware that ignores the second copy of a request: without an `Idempotency-Key`, it would have its effect twice.
 * A copy of another message changes nothing.
 */
export function ignoreRepeatedRequests(): Middleware {
  const arrived = new LRUCache<string, true>({ max: REMEMBERED_MAX });
  const transitMessageHandler = (next: Handle) => (type: string, packet: RequestPacket) => {
    const { id = '', sender = '', stream } = packet.payload;
    // The parts of a stream have the same id.
    if (type !== 'REQ' || stream === true) return next(type, packet);
    const key = `${sender} ${id}`;
    if (arrived.has(key)) return Promise.resolve(false);
    arrived.set(key, true);
    return next(type, packet);
  };
  // Moleculer's type of this hook is wrong.
  return { name: 'RepeatedRequests', transitMessageHandler } as unknown as Middleware;
}
