import { setTimeout as delay } from 'node:timers/promises';
import { Errors, Transporters } from 'moleculer';
import { connect, createInbox, Events, headers, type MsgHdrs, type NatsConnection, type Subscription } from 'nats';
import { faultOf } from '../errors/fault.ts';
import { problem } from '../errors/problem.ts';
import type { CallContext } from '../service/call-context.ts';
import { clock_ms, isLate, isOutdatedCopy, lateWarnings, nodeClocks, noteSent, notRun } from './late-requests.ts';
import { rememberReceivedRequests, rememberSentRequests, type SentMessage } from './lost-messages.ts';

/** A message of Moleculer's protocol. It has no target if it is for all nodes. */
interface Packet extends Omit<Parameters<Transporters.NATS['serialize']>[0], 'payload'> {
  payload: Payload;
}

interface Payload {
  id?: string;
  sender?: string;
  action?: string;
  meta?: object | undefined;
  stream?: boolean;
  success?: boolean;
  data?: unknown;
  error?: unknown;
  /** In heartbeats and information about a node: its process and its clock. */
  instanceID?: string;
  clock_ms?: number;
  /** In requests: what the receiver's clock showed when they were sent (late-requests.ts). */
  sent_ms?: number;
  /** In requests: the same for the first message. In copies it is less than `sent_ms`. */
  first_ms?: number;
}

/** A request as it can be sent again. Callers do not change its parameters while they wait. */
interface SentRequest {
  topic: string;
  packet: Packet;
  /** The process that it was sent to. */
  instance: string;
}

interface Message extends SentMessage {
  /** The process that a request was first sent to, if this is a copy. */
  instance?: string;
  /** The subject on which NATS reports that no process receives a request or a ping; undefined for other packets. */
  reply?: string | undefined;
  sent: () => void;
  refused: (error: unknown) => void;
}

const TOO_LARGE = problem('internal_error');

const REQUEST = 'REQ';
const ANSWER = 'RES';
const PING = 'PING';
/** The packets that tell other nodes this node's clock. */
const TELLS_CLOCK = new Set<string>(['HEARTBEAT', 'INFO']);
/** The header that names the process for which a copy of a request is. */
const INSTANCE = 'Moleculer-Instance';
/** Begins the tokens of pings, which no request's id begins with. */
const PING_TOKEN = 'ping_';
/** NATS's status for a message that no process receives. */
const NO_RESPONDERS = 503;

/** Long: NATS servers tell each other of a subscription within milliseconds. A stopping one waits for 3 s (deploy/nats/nats.conf). */
const MOVE_MS = 1_000;

/** How often requests are looked for that may have been lost. */
const RESEND_EVERY_MS = 250;

/**
 * Moleculer's NATS transporter with these changes:
 * - All messages of one turn of the event loop are sent in one write: under load, a system call for each message costs more than
 *   the message.
 * - If NATS reports that no process receives a request or a ping, because the process was killed or reconnects, its node becomes
 *   unavailable immediately, not when its heartbeats have been missed.
 * - If its server is about to stop, it moves to another one without losing a message.
 * - A request that may have been lost with a connection, or whose answer may have been, is sent again. It is executed once.
 * - A request that arrives late is answered as one that has not run, so that a caller that still waits chooses another node.
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
  readonly #sent = rememberSentRequests<SentRequest>();
  readonly #received = rememberReceivedRequests();
  readonly #clocks = nodeClocks();
  #resending: NodeJS.Timeout | undefined;
  readonly #warnOfLate = lateWarnings();

  override init(...[transit, handle, connected]: Parameters<Transporters.NATS['init']>): void {
    super.init(
      transit,
      (cmd, packet) => {
        // Moleculer's type is wrong: the packet is already read.
        const { payload } = packet as unknown as Packet;
        if (cmd !== REQUEST || this.#mayRun(payload)) handle(cmd, packet);
        if (TELLS_CLOCK.has(cmd)) this.#noteClock(payload);
      },
      connected,
    );
  }

  override async connect(): Promise<void> {
    await super.connect();
    this.#follow(this.client as NatsConnection);
    this.#resending ??= setInterval(() => void this.#resend(), RESEND_EVERY_MS).unref();
  }

  #follow(client: NatsConnection): void {
    void this.#followStatus(client);
    client.subscribe(`${this.#undelivered}.*`, {
      callback: (_error, { headers: header, subject }) => {
        if (header?.code === NO_RESPONDERS) this.#undeliverable(subject.slice(this.#undelivered.length + 1));
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
        if (error === null) this.#receive(cmd, Buffer.from(message.data), message.headers?.get(INSTANCE));
        else this.logger.error('NATS refuses a subscription: the login is for another service', { subject });
      },
    });
    if (cmd === REQUEST) this.#calls.push(subscription);
  }

  /** A copy of a request is not for a process that has the same name as the lost one: that may have executed the request. */
  #receive(cmd: string, data: Buffer, instance = ''): void {
    if (instance === '' || instance === this.broker.instanceID) void this.receive(cmd, data);
  }

  /**
   * Connects to another server before the present one closes the connection, which would lose the messages on their way. Both
   * connections receive until all servers know of the new one; the second copy of a request is ignored.
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
    const { info } = this.client as NatsConnection;
    if (packet?.type === ANSWER && info !== undefined && data.length > info.max_payload) {
      return this.#sendFault(topic, packet, data.length);
    }
    const token = packet === undefined ? undefined : undeliveredToken(packet);
    const reply = token === undefined ? undefined : `${this.#undelivered}.${token}`;
    if (packet !== undefined) this.#remember(packet, { topic, data });
    return new Promise((sent, refused) => this.#enqueue({ topic, data, reply, sent, refused }));
  }

  /** Answers with a fault instead of an answer that NATS does not accept. Otherwise the caller would wait until it times out. */
  #sendFault(topic: string, packet: Packet, bytes: number): Promise<void> {
    this.logger.error('an answer is larger than max_payload of NATS', { bytes, target: packet.target });
    const payload = { ...packet.payload, success: false, data: null };
    const fault = { ...payload, error: this.transit?._createPayloadErrorField(TOO_LARGE, payload) };
    const data = this.broker.serializer!.serialize(fault, packet.type);
    return this.send(topic, data, { packet: { ...packet, payload: fault } });
  }

  /** Remembers a request until it is answered, and an answer in case it is lost. The parts of a stream are sent once. */
  #remember(packet: Packet, message: SentMessage): void {
    const { type, target, payload } = packet;
    const { id = '', stream } = payload;
    if (stream === true) return;
    const { instanceID: instance } = this.#nodeOf(target) ?? {};
    const { topic } = message;
    if (type === REQUEST && instance != null) this.#sent.add(id, { topic, packet, instance }, performance.now());
    else if (type === ANSWER) this.#received.answer(id, target ?? '', message);
  }

  /**
   * Sends copies of requests that NATS has got, or lost with a connection. Otherwise, after a connection was cut or silent, NATS could
   * report that no process receives a request, so that it is executed elsewhere, and then deliver its copy.
   */
  async #resend(): Promise<void> {
    const asked_ms = performance.now();
    try {
      await this.flush();
    } catch {
      // The connection is lost.
      return;
    }
    const pending = this.broker.transit?.pendingRequests as unknown as Map<string, { ctx: CallContext }> | undefined;
    const due = this.#sent.due((id) => pending?.has(id) === true, performance.now(), asked_ms);
    for (const { topic, packet, instance } of due) {
      pending!.get(packet.payload.id!)!.ctx.locals.resent_ms = performance.now();
      this.#post({ topic, data: this.serialize(packet), instance });
    }
  }

  /** Writes a packet with the time at which it is sent. A copy also has that of the first message. */
  override serialize(packet: Packet): Buffer {
    const { type, target, payload } = packet;
    if (TELLS_CLOCK.has(type)) payload.clock_ms = clock_ms();
    else if (type === REQUEST) {
      const node = this.#nodeOf(target);
      const sent_ms = node && this.#clocks.timeOf(node, clock_ms());
      if (sent_ms !== undefined) {
        payload.sent_ms = sent_ms;
        payload.first_ms ??= sent_ms;
      }
    }
    return super.serialize(packet);
  }

  #nodeOf(nodeID?: string) {
    return this.broker.registry.nodes.get(nodeID ?? '');
  }

  #noteClock({ sender, instanceID = '', clock_ms: shown_ms }: Payload): void {
    const node = this.#nodeOf(sender);
    if (node !== undefined && typeof shown_ms === 'number') this.#clocks.heard(node, instanceID, shown_ms, clock_ms());
  }

  /** Whether a request is to be executed. A copy of a request that has been answered gets the answer again. */
  #mayRun(request: Payload): boolean {
    const { id = '', sender = '', action = '', meta = {}, stream, sent_ms } = request;
    const now_ms = clock_ms();
    if (stream === true) return true;
    if (isOutdatedCopy(request, now_ms)) return false;
    const { isNew, answer } = this.#received.receive(id, sender, performance.now());
    if (answer !== undefined) this.#post(answer);
    if (!isNew || sent_ms === undefined) return isNew;
    noteSent(meta, sent_ms);
    if (!isLate(sent_ms, now_ms)) return true;
    this.#warnOfLate(this.logger, action, sender);
    void this.transit?.sendResponse(
      sender,
      id,
      meta,
      {},
      {},
      notRun({ action: { name: action }, broker: this.broker }),
    );
    return false;
  }

  #post(message: Omit<Message, 'sent' | 'refused'>): void {
    this.#enqueue({ ...message, sent: () => undefined, refused: () => undefined });
  }

  #enqueue(message: Message): void {
    if (this.#waiting.push(message) === 1) setImmediate(() => this.#sendAll());
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
    clearInterval(this.#resending);
    this.#resending = undefined;
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
    for (const message of messages) {
      try {
        this.#publish(message);
        message.sent();
      } catch (error) {
        // A message that is too large, or comes after the end of the connection, must not stop the others.
        message.refused(error);
      }
    }
  }

  /** A copy has no reply: if no process receives it, the first message may still have been executed. */
  #publish({ topic, data, reply, instance }: Message): void {
    const client = this.client as NatsConnection | null;
    if (instance !== undefined) client?.publish(topic, data, { headers: instanceHeader(instance) });
    else if (reply !== undefined) client?.publish(topic, data, { reply });
    else void super.send(topic, data);
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

function instanceHeader(instance: string): MsgHdrs {
  const header = headers();
  header.set(INSTANCE, instance);
  return header;
}

/** Returns what identifies an undelivered request or ping; undefined for other messages. */
function undeliveredToken({ type, target, payload }: Packet): string | undefined {
  if (type === REQUEST) return payload.id ?? '';
  // A node's name may have characters that are not allowed in a subject.
  return type === PING && target ? PING_TOKEN + Buffer.from(target).toString('hex') : undefined;
}

function nodePinged(token: string): string {
  return Buffer.from(token.slice(PING_TOKEN.length), 'hex').toString();
}
