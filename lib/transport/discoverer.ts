import { setTimeout as delay } from 'node:timers/promises';
import { Discoverers } from 'moleculer';
import type { BatchingNats } from './batching-nats.ts';

/**
 * How often heartbeats are checked. Half a second notices a killed node at most 4.5 s after its last heartbeat
 * (HEARTBEAT_TIMEOUT_S, rounded, and this), so that reads that wait for it are repeated within CALL_TIMEOUT_MS.
 */
const CHECK_EVERY_MS = 500;

/** Time for the others to learn that this node's services are withdrawn. A call that comes later goes to another node. */
const LEAVE_MS = 200;

/**
 * Moleculer's discovery, except that it checks heartbeats more often than once in each heartbeat timeout, and tells the other
 * nodes immediately when this one has started or is about to stop.
 */
export class Discoverer extends Discoverers.Local {
  #isLeaving = false;

  /** Announces the services of this node. Moleculer alone would wait for a second, in which the node is ready but not called. */
  async announce(): Promise<void> {
    if (this.transit === undefined) return;
    await this.sendLocalNodeInfo();
    await this.#transporter().flush();
  }

  /**
   * Withdraws the services of this node, and resolves when no more calls arrive: others are answered that no process receives
   * them, so that their callers choose another node. The calls that have arrived can still be executed.
   */
  async leave(): Promise<void> {
    if (this.transit === undefined || this.#isLeaving) return;
    this.#isLeaving = true;
    this.registry.regenerateLocalRawInfo(true, true);
    await super.sendLocalNodeInfo();
    await delay(LEAVE_MS);
    await this.#transporter().refuseCalls();
  }

  /** Sends nothing once the services are withdrawn, as a change of them would announce them again. */
  override async sendLocalNodeInfo(nodeID?: string): Promise<void> {
    if (!this.#isLeaving) await super.sendLocalNodeInfo(nodeID);
  }

  #transporter(): BatchingNats {
    return (this.transit as unknown as { tx: BatchingNats }).tx;
  }

  override startHeartbeatTimers(): void {
    super.startHeartbeatTimers();
    clearInterval(this.checkNodesTimer);
    this.checkNodesTimer = setInterval(() => this.checkRemoteNodes(), CHECK_EVERY_MS).unref();
  }
}
