import { Discoverers } from 'moleculer';

/**
 * How often heartbeats are checked. Half a second notices a killed node at most 4.5 s after its last heartbeat
 * (HEARTBEAT_TIMEOUT_S, rounded, and this), so that reads that wait for it are repeated within CALL_TIMEOUT_MS.
 */
const CHECK_EVERY_MS = 500;

/** Moleculer's discovery, except that it checks heartbeats more often than once in each heartbeat timeout. */
export class Discoverer extends Discoverers.Local {
  override startHeartbeatTimers(): void {
    super.startHeartbeatTimers();
    clearInterval(this.checkNodesTimer);
    this.checkNodesTimer = setInterval(() => this.checkRemoteNodes(), CHECK_EVERY_MS).unref();
  }
}
