import type { ServiceBroker } from 'moleculer';

/** Most calls are answered sooner, so that few nodes are pinged. */
const SUSPECT_AFTER_MS = 500;

/**
 * Checks without an answer, 3 s in all: a node that is busy for longer cannot serve either. With SUSPECT_AFTER_MS and the
 * interval of checks, calls of a frozen node go to others after at most 4.5 s. They are counted, as the time does not count in
 * which this process was frozen itself.
 */
const ANSWER_MAX_CHECKS = 6;

/** A pending request of Moleculer's transit, whose types do not show the time when it began. */
interface Pending {
  nodeID: string;
  ctx: { startHrTime?: [number, number] };
}

/**
 * Notices nodes that no longer answer, independently of their heartbeats: it pings each node that has owed an answer for some
 * time. A killed one is noticed at once, as NATS reports that no process receives the ping (see BatchingNats).
 */
export class SilentNodes {
  readonly #broker: ServiceBroker;
  /** The nodes that have not answered a ping, and how many were sent. */
  readonly #unanswered = new Map<string, number>();

  constructor(broker: ServiceBroker) {
    this.#broker = broker;
    broker.localBus.on('$node.pong', ({ nodeID }: { nodeID: string }) => this.#unanswered.delete(nodeID));
  }

  /** Pings the nodes that owe answers, and gives up those that do not answer. For a timer. */
  check(): void {
    const { transit, registry } = this.#broker;
    const suspects = this.#suspects();
    for (const nodeID of this.#unanswered.keys()) if (!suspects.has(nodeID)) this.#unanswered.delete(nodeID);
    for (const nodeID of suspects) {
      const pings = this.#unanswered.get(nodeID) ?? 0;
      if (pings < ANSWER_MAX_CHECKS) {
        this.#unanswered.set(nodeID, pings + 1);
        void transit?.sendPing(nodeID);
      } else {
        this.#unanswered.delete(nodeID);
        // It is available again with its next heartbeat.
        registry.nodes.disconnected(nodeID, true);
      }
    }
  }

  #suspects(): Set<string> {
    const suspects = new Set<string>();
    // The oldest come first.
    for (const { nodeID, ctx } of this.#broker.transit?.pendingRequests.values() as unknown as Iterable<Pending>) {
      const [s = 0, ns = 0] = process.hrtime(ctx.startHrTime);
      if (s * 1_000 + ns / 1_000_000 < SUSPECT_AFTER_MS) break;
      suspects.add(nodeID);
    }
    return suspects;
  }
}
