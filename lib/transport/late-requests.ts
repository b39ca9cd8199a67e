/**
 * A request that arrives late is not executed. It may have lain in the socket of a process that was frozen, or in the network,
 * until its client has repeated it and another process has refused the repeat: a refusal must have no effect.
 *
 * Clocks of hosts differ, so the receiver's own clock counts: its heartbeats say what it shows, and a request says what it showed
 * when the request was sent, as far as its sender knows from the last heartbeat.
 */

/**
 * More than the pauses of a busy process, and less than 1.8 s: callers give a node up that long after they sent a request if it
 * stopped just before a heartbeat was due (3 s without one, 1.2 s apart).
 */
export const LATE_AFTER_MS = 1_500;

/** This process's clock, which is never set. It counts from the clock's time at the start, as a process may replace another one. */
export function clock_ms(): number {
  return performance.timeOrigin + performance.now();
}

/** The clocks of other nodes. */
export interface NodeClocks {
  /** @param shown_ms the time that the node's clock showed when it sent the message that has just arrived */
  heard(node: object, shown_ms: number, now_ms: number): void;
  /** Returns the time that the node's clock shows now, or a time before; undefined if the node has not said it. */
  timeOf(node: object, now_ms: number): number | undefined;
}

export function nodeClocks(): NodeClocks {
  const ahead_ms = new WeakMap<object, number>();
  return {
    heard: (node, shown_ms, now_ms) => void ahead_ms.set(node, shown_ms - now_ms),
    timeOf(node, now_ms) {
      const ahead = ahead_ms.get(node);
      return ahead === undefined ? undefined : now_ms + ahead;
    },
  };
}

/** @param sent_ms the time of this process's clock when the request was sent; undefined from nodes of release 0.1.0 */
export function isLate(sent_ms: number | undefined, now_ms: number): boolean {
  return sent_ms !== undefined && now_ms - sent_ms > LATE_AFTER_MS;
}
