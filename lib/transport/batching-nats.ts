import { setTimeout as delay } from 'node:timers/promises';
import { Errors, Transporters } from 'moleculer';
import { connect, createInbox, Events, type NatsConnection, type Subscription } from 'nats';
import { faultOf } from '../errors/fault.ts';

/** A message of Moleculer's protocol. */
interface Packet {
  type: string;
  target: string | null;
  payload: { id?: string };
}

interface Message {
  topic: string;
  data: Buffer;
  /** The subject on which NATS reports that no process receives a request or a ping; undefined for other packets. */
  reply: string | undefined;
  sent: () => void;
  refused: (error: unknown) => void;
}

const REQUEST = 'REQ';
const PING = 'PING';
/** Begins the tokens of pings, which no request's id begins with. */
const PING_TOKEN = 'ping_';
/** NATS's status for a message that no process receives. */
const NO_RESPONDERS = 503;

/** Long: NATS servers tell each other of a subscription within milliseconds. A stopping one waits for 3 s (deploy/nats/nats.conf). */
const MOVE_MS = 1_000;

/**
 * Moleculer's NATS transporter with these changes:
 * - All messages of one turn of the event loop are sent in one write: under load, a system call for each message costs more than
 *   the message.
 * - If NATS reports that no process receives a request or a ping, because the process was killed or reconnects, its node becomes
 *   unavailable immediately, not when its heartbeats have been missed.
 * - If its server is about to stop, it moves to another one without losing a message.
 */
export class BatchingNats extends Transporters.NATS {
  readonly #undelivered = createInbox((this.opts as { inboxPrefix?: string }).inboxPrefix);
  #waiting: Message[] = [];
  #subscribed: { cmd: string; subject: string }[] = [];
  /** The subscriptions to the calls of this node's actions: two while it moves to another server. */
  #calls: Subscription[] = [];
  /** Resolves when this node has moved from all servers that have announced their stop so far. */
  #moved = Promise.resolve();
  /** The connection that is left while this node moves to another server. */
  #left: NatsConnection | undefined;

  override async connect(): Promise<void> {
    await super.connect();
    this.#follow(this.client as NatsConnection);
  }

  #follow(client: NatsConnection): void {
    void this.#followStatus(client);
    client.subscribe(`${this.#undelivered}.*`, {
      callback: (_error, { headers, subject }) => {
        if (headers?.code === NO_RESPONDERS) this.#undeliverable(subject.slice(this.#undelivered.length + 1));
      },
    });
  }

  override subscribe(cmd: string, nodeID?: string): Promise<void> {
    const subject = this.getTopicName(cmd, nodeID);
    this.#subscribed.push({ cmd, subject });
    this.#subscribe(this.client as NatsConnection, cmd, subject);
    return Promise.resolve();
  }

  /** Moleculer's would fail without a reason if NATS refuses the subscription. */
  #subscribe(client: NatsConnection, cmd: string, subject: string): void {
    const subscription = client.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) void this.receive(cmd, Buffer.from(message.data));
        else this.logger.error('NATS refuses a subscription: the login is for another service', { subject });
      },
    });
    if (cmd === REQUEST) this.#calls.push(subscription);
  }

  /**
   * Connects to another server before the present one closes the connection, which would lose the messages on their way. Both
   * connections receive until all servers know of the new one; the second copy of a request is ignored (repeated-requests.ts).
   */
  async #move(left: NatsConnection): Promise<void> {
    // A server announces its stop repeatedly.
    if (left !== this.client) return;
    try {
      const client = await connect(this.opts);
      if (left === this.client) await this.#moveTo(client, left);
      else await client.close();
    } catch (error) {
      this.logger.warn('this node could not move from a NATS server that is about to stop', faultOf(error));
    }
  }

  async #moveTo(client: NatsConnection, left: NatsConnection): Promise<void> {
    this.#left = left;
    // Moleculer takes the end of its first connection for the end of all.
    const ended = left.closed().then(() => (this.connected = this.client !== null));
    this.#follow(client);
    for (const { cmd, subject } of this.#subscribed) this.#subscribe(client, cmd, subject);
    this.client = client;
    await delay(MOVE_MS);
    if (!left.isClosed()) await left.drain();
    // A drain whose connection breaks ends without closing it.
    await left.close();
    await ended;
    this.#left = undefined;
    this.#calls = this.#calls.filter((calls) => !calls.isClosed());
    // The last requests may still arrive by the new connection too.
    await delay(MOVE_MS);
  }

  override send(topic: string, data: Buffer, { packet }: { packet?: Packet } = {}): Promise<void> {
    const token = packet === undefined ? undefined : undeliveredToken(packet);
    const reply = token === undefined ? undefined : `${this.#undelivered}.${token}`;
    return new Promise((sent, refused) => {
      if (this.#waiting.push({ topic, data, reply, sent, refused }) === 1) setImmediate(() => this.#sendAll());
    });
  }

  /** Resolves when NATS has all messages that were sent before. */
  async flush(): Promise<void> {
    this.#sendAll();
    await Promise.all([this.#left?.flush(), (this.client as NatsConnection | null)?.flush()]);
  }

  /** Ends the subscription to calls. Resolves when all calls that NATS has accepted for this node have arrived. */
  async refuseCalls(): Promise<void> {
    // A node that then moves to another server must not accept calls again.
    this.#subscribed = this.#subscribed.filter(({ cmd }) => cmd !== REQUEST);
    for (const calls of this.#calls) calls.unsubscribe();
    await this.flush();
  }

  /** Sends the waiting messages first. */
  override async disconnect(): Promise<void> {
    this.#sendAll();
    await Promise.all([this.#left?.close(), super.disconnect()]);
  }

  /** Makes nodes find each other again after a reconnect, and logs refusals: a call that NATS refuses only times out. */
  async #followStatus(client: NatsConnection): Promise<void> {
    for await (const { type, permissionContext } of client.status()) {
      if (type === Events.Reconnect) void this.#findEachOther();
      if (type === Events.LDM) this.#moved = this.#moved.then(() => this.#move(client));
      if (permissionContext === undefined) continue;
      this.logger.error('NATS refuses a subject: see deploy/nats/permissions.conf', permissionContext);
    }
  }

  /** After a reconnect: nodes that have reconnected sooner have missed this node's heartbeat, and it has missed theirs. */
  async #findEachOther(): Promise<void> {
    const { discoverer } = this.broker.registry;
    await discoverer.sendHeartbeat();
    await discoverer.discoverAllNodes();
  }

  #sendAll(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    // The client writes all messages that are published in this turn together.
    for (const { topic, data, reply, sent, refused } of messages) {
      try {
        if (reply === undefined) void super.send(topic, data);
        else (this.client as NatsConnection | null)?.publish(topic, data, { reply });
        sent();
      } catch (error) {
        // A message that is too large, or comes after the end of the connection, must not stop the others.
        refused(error);
      }
    }
  }

  /** Handles the report that no process has received a message. */
  #undeliverable(token: string): void {
    const { registry } = this.broker;
    if (token.startsWith(PING_TOKEN)) registry.nodes.disconnected(nodePinged(token), true);
    else this.#refuse(token);
  }

  /**
   * Rejects a request that was not delivered, and so has not run. Its node is available again with its next heartbeat. The
   * node's other requests are rejected too, so that reads are repeated without a wait for missed heartbeats. If the node was
   * only reconnecting, its writes are recovered.
   */
  #refuse(id: string): void {
    const { transit, registry } = this.broker;
    const request = transit?.pendingRequests.get(id);
    if (request === undefined) return;
    const { nodeID } = request;
    // Moleculer's types are wrong: `action` is the action's definition.
    const { name } = request.action as unknown as { name: string };
    transit?.removePendingRequest(id);
    request.reject(new Errors.ServiceNotAvailableError({ action: name, nodeID }));
    // A node that has withdrawn its services is stopping, and still answers the calls that it has.
    const isStopping = registry.nodes.get(nodeID)?.services.length === 0;
    if (!isStopping) registry.nodes.disconnected(nodeID, true);
  }
}

/** Returns what identifies an undelivered request or ping; undefined for other messages. */
function undeliveredToken({ type, target, payload }: Packet): string | undefined {
  if (type === REQUEST) return payload.id ?? '';
  // A node's name may have characters that are not allowed in a subject.
  return type === PING && target !== null ? PING_TOKEN + Buffer.from(target).toString('hex') : undefined;
}

function nodePinged(token: string): string {
  return Buffer.from(token.slice(PING_TOKEN.length), 'hex').toString();
}
