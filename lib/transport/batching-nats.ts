import { Errors, Transporters } from 'moleculer';
import { createInbox, type NatsConnection, type Subscription } from 'nats';

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

/**
 * Moleculer's NATS transporter with two changes. All messages of one turn of the event loop are sent in one write: under
 * load, a system call for each message costs more than the message. And if NATS reports that no process receives a request or a
 * ping, because the process was killed, its node becomes unavailable immediately, not when its heartbeats have been missed.
 */
export class BatchingNats extends Transporters.NATS {
  readonly #undelivered = createInbox((this.opts as { inboxPrefix?: string }).inboxPrefix);
  #waiting: Message[] = [];
  /** The subscription to the calls of this node's actions. */
  #calls: Subscription | undefined;

  override async connect(): Promise<void> {
    await super.connect();
    const client = this.client as NatsConnection;
    void this.#logRefusals(client);
    client.subscribe(`${this.#undelivered}.*`, {
      callback: (_error, { headers, subject }) => {
        if (headers?.code === NO_RESPONDERS) this.#undeliverable(subject.slice(this.#undelivered.length + 1));
      },
    });
  }

  /**
   * Moleculer's would fail without a reason if NATS refuses the subscription. The one to calls is kept, so that refuseCalls()
   * can end it.
   */
  override subscribe(cmd: string, nodeID?: string): Promise<void> {
    const subject = this.getTopicName(cmd, nodeID);
    const subscription = (this.client as NatsConnection).subscribe(subject, {
      callback: (error, message) => {
        if (error === null) void this.receive(cmd, Buffer.from(message.data));
        else this.logger.error('NATS refuses a subscription: the login is for another service', { subject });
      },
    });
    if (cmd === REQUEST) this.#calls = subscription;
    return Promise.resolve();
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
    await (this.client as NatsConnection | null)?.flush();
  }

  /** Ends the subscription to calls. Resolves when all calls that NATS has accepted for this node have arrived. */
  async refuseCalls(): Promise<void> {
    this.#calls?.unsubscribe();
    await this.flush();
  }

  /** Sends the waiting messages first. */
  override disconnect(): Promise<void> {
    this.#sendAll();
    return super.disconnect();
  }

  /** A call that NATS refuses would only time out. */
  async #logRefusals(client: NatsConnection): Promise<void> {
    for await (const { permissionContext } of client.status()) {
      if (permissionContext === undefined) continue;
      this.logger.error('NATS refuses a subject: see deploy/nats/permissions.conf', permissionContext);
    }
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
