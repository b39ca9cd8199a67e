import { setTimeout as delay } from 'node:timers/promises';
import { Discoverers, type ServiceBroker } from 'moleculer';
import { ALL_SERVICES, SHARED_LOGIN } from '../config/service-names.ts';
import { faultOf } from '../errors/fault.ts';
import type { BatchingNats } from './batching-nats.ts';
import { heartbeatIntervalS, heartbeatTimeoutS } from './heartbeats.rules.ts';
import { SilentNodes } from './silent-nodes.ts';

/** How often missing heartbeats and answers are looked for: a lost node is noticed half a second late at most. */
const CHECK_EVERY_MS = 500;

/** A check that is later than this shows that this process was frozen or busy, and has not read what has arrived since. */
const LATE_MS = 2 * CHECK_EVERY_MS;

/** By this share an interval is longer at random, so that nodes that start together do not send together. */
const SPREAD = 0.2;

/** How often nodes that have been gone for 10 minutes are removed. */
const FORGET_EVERY_MS = 60_000;

/**
 * How long a leaving node waits for nodes that do not answer, such as frozen ones. Others answer within milliseconds, or are
 * too busy to call it.
 */
const LEAVE_MAX_MS = 1_000;

/** A service as other nodes are told of it. */
interface Announced {
  actions: Record<string, { params?: unknown }>;
}

/** What a node says about itself when it joins. */
interface NodeInfo {
  sender: string;
  services: { name: string; actions?: Record<string, { name: string }> }[];
}

/**
 * Moleculer's discovery, with these changes:
 * - The interval of heartbeats grows with the number of nodes (heartbeats.rules.ts). A heartbeat says which services the
 *   others should know of this node, so that they ask again if they have missed a change.
 * - A node that does not answer calls is noticed without its heartbeats (silent-nodes.ts).
 * - A process that was frozen itself reads what has arrived before it looks for nodes that are missing.
 * - A node tells the others once, and immediately, when it has started or is about to stop.
 * - A service offered by the node of another service is ignored: every login may announce nodes, but NATS lets each login
 *   receive the requests only of nodes whose id begins with its name.
 */
export class Discoverer extends Discoverers.Local {
  #silent: SilentNodes | undefined;
  #checked_ms = 0;
  #hasSkipped = false;
  /** The version of the services that all nodes have been told. */
  #announced_seq: number | undefined;
  #isLeaving = false;
  /** The nodes that may not know yet that this one is leaving. */
  #unaware = new Set<string>();
  #allKnow = Promise.withResolvers<void>();

  override init(registry: ServiceBroker['registry']): void {
    super.init(registry);
    this.#silent = new SilentNodes(this.broker);
  }

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
    await this.#sendWithdrawn(true);
    await this.#untilAllKnow();
    await this.#transporter().refuseCalls();
  }

  async #sendWithdrawn(isChange: boolean, nodeID?: string): Promise<void> {
    await this.transit?.sendNodeInfo(this.registry.regenerateLocalRawInfo(isChange, true), nodeID);
  }

  /**
   * Asks all nodes for their services. NATS and each node keep the order of messages, so the answer of a node comes after its
   * last call to this one, unless it had just announced a change. In a cluster of NATS servers, a call that is sent while a
   * subscription ends may be lost.
   */
  async #untilAllKnow(): Promise<void> {
    const others = this.registry.getNodeList({ onlyAvailable: true }) as { id: string }[];
    this.#unaware = new Set(others.map(({ id }) => id).filter((id) => id !== this.broker.nodeID));
    if (this.#unaware.size === 0) return;
    await this.discoverAllNodes();
    await Promise.race([this.#allKnow.promise, delay(LEAVE_MAX_MS, undefined, { ref: false })]);
  }

  /**
   * Sends this node's services to another node, or to all if they have changed. Once they are withdrawn a change of them is not
   * sent, as it would announce them again.
   */
  override async sendLocalNodeInfo(nodeID?: string): Promise<void> {
    if (this.#isLeaving) {
      if (nodeID !== undefined) await this.#sendWithdrawn(false, nodeID);
      return;
    }
    const { seq, services } = this.broker.getLocalNodeInfo();
    // Only this node checks parameters. Their rules would be three quarters of the message.
    for (const { actions } of services as unknown as Announced[]) {
      for (const action of Object.values(actions)) delete action.params;
    }
    if (nodeID === undefined) {
      // Before the node is connected, nothing is sent.
      const isReady = this.transit?.isReady === true;
      if (isReady && seq === this.#announced_seq) return;
      if (isReady) this.#announced_seq = seq;
    }
    await super.sendLocalNodeInfo(nodeID);
  }

  override async sendHeartbeat(): Promise<void> {
    const { transit, localNode } = this;
    if (transit === undefined || localNode === undefined) return;
    const { cpu, seq } = localNode;
    const payload = { cpu, seq, instanceID: this.broker.instanceID };
    const packet = { type: 'HEARTBEAT', target: null, payload } as unknown as Parameters<typeof transit.publish>[0];
    // The next one follows soon; until then the connection may have ended.
    await transit.publish(packet).catch((error: unknown) => this.logger.warn('no heartbeat was sent', faultOf(error)));
  }

  override startHeartbeatTimers(): void {
    this.stopHeartbeatTimers();
    this.#scheduleHeartbeat();
    this.#checked_ms = performance.now();
    this.checkNodesTimer = setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
    this.offlineTimer = setInterval(() => this.checkOfflineNodes(), FORGET_EVERY_MS).unref();
  }

  #scheduleHeartbeat(): void {
    const online = this.registry.nodes.onlineCount();
    const interval_ms = heartbeatIntervalS(online) * 1_000 * (1 + SPREAD * Math.random());
    this.heartbeatTimer = setTimeout(() => {
      this.#scheduleHeartbeat();
      void this.beat();
    }, interval_ms).unref();
  }

  #check(): void {
    const isLate = performance.now() - this.#checked_ms > LATE_MS;
    this.#checked_ms = performance.now();
    // Before the next check, messages are read, even if this process is busy for longer than a check may be late.
    this.#hasSkipped = isLate && !this.#hasSkipped;
    if (this.#hasSkipped) return;
    const { opts } = this as unknown as { opts: { heartbeatTimeout: number } };
    opts.heartbeatTimeout = heartbeatTimeoutS(this.registry.nodes.count());
    this.checkRemoteNodes();
    this.#silent?.check();
  }

  #transporter(): BatchingNats {
    return (this.transit as unknown as { tx: BatchingNats }).tx;
  }

  override processRemoteNodeInfo(
    nodeID: string,
    info: NodeInfo,
  ): ReturnType<Discoverers.Local['processRemoteNodeInfo']> {
    if (this.#unaware.delete(nodeID) && this.#unaware.size === 0) this.#allKnow.resolve();
    const services = info.services.filter(({ name, actions = {} }) =>
      [name, ...Object.values(actions).map((action) => action.name)].every((each) => mayOffer(info.sender, each)),
    );
    if (services.length < info.services.length) {
      this.logger.error('a node offers a service that is not its own, which is ignored', { node_id: info.sender });
    }
    return super.processRemoteNodeInfo(nodeID, { ...info, services });
  }
}

/** Whether a node may offer a service or action of this name. An id without a dot belongs to no service's login. */
function mayOffer(nodeID: string, name: string): boolean {
  const [service = ''] = name.split('.');
  const [login = '', ...host] = nodeID.split('.');
  const isOurs = (ALL_SERVICES as readonly string[]).includes(service);
  return !isOurs || host.length === 0 || login === service || login === SHARED_LOGIN;
}
