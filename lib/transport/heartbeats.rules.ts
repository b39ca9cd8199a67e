/** How often nodes send heartbeats. Each node gets those of all others, so with a fixed interval they grow with n². */

/** What a node handles at little cost: 20 heartbeats a second took 0.1 % of a core. */
const RECEIVED_MAX_PER_S = 20;

/** Up to 20 nodes: as often as the number of nodes allows, and often enough to notice a lost host within 5 s. */
const INTERVAL_MIN_S = 1;

/** Heartbeats that may be missed or late. */
const MISSED = 3;

/** Returns the interval at which a node sends, in seconds. */
export function heartbeatIntervalS(nodes: number): number {
  return Math.max(INTERVAL_MIN_S, nodes / RECEIVED_MAX_PER_S);
}

/**
 * Returns the time without a heartbeat after which a node is considered lost, in seconds.
 * @param nodes also those that have left lately: some still send at the longer interval of that time
 */
export function heartbeatTimeoutS(nodes: number): number {
  return MISSED * heartbeatIntervalS(nodes);
}
