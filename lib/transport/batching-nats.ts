import { Errors, Transporters } from 'moleculer';
import { createInbox } from 'nats';
import type { NatsConnection } from 'nats';

/** What Moleculer sends; a request is for one node. */
interface Packet {
  type: string;
  payload: { id?: string };
}

interface Message {
  topic: string;
  data: Buffer;
  /** Where NATS is to say that no process takes the message; undefined where Moleculer need not know. */
  reply: string | undefined;
  sent: () => void;
  refused: (error: unknown) => void;
}

const REQUEST = 'REQ';
/** The status of NATS for a message that no process takes. */
const NO_RESPONDERS = 503;

/**
 * Moleculer's NATS transporter, but for two things. All messages of one turn of the event loop leave in one write: under
 * load the system calls for each message by itself cost more than the messages. And where NATS says that no node takes a
 * request, as the process was killed, its node is away at once, not when its heartbeats have been missed.
 */
export class GatheringNats extends Transporters.NATS {
  readonly #undelivered = createInbox();
  #waiting: Message[] = [];

  override async connect(): Promise<void> {
    await super.connect();
    (this.client as NatsConnection).subscribe(`${this.#undelivered}.*`, {
      callback: (_error, { headers, subject }) => {
        if (headers?.code === NO_RESPONDERS) this.#refuse(subject.slice(this.#undelivered.length + 1));
      },
    });
  }

  override send(topic: string, data: Buffer, { packet }: { packet?: Packet } = {}): Promise<void> {
    const reply = packet?.type === REQUEST ? `${this.#undelivered}.${packet.payload.id ?? ''}` : undefined;
    return new Promise((sent, refused) => {
      if (this.#waiting.push({ topic, data, reply, sent, refused }) === 1) setImmediate(() => this.#sendAll());
    });
  }

  /** Nothing that was handed over stays behind. */
  override disconnect(): Promise<void> {
    this.#sendAll();
    return super.disconnect();
  }

  #sendAll(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    // The client writes once for all that is published before it comes to write.
    for (const { topic, data, reply, sent, refused } of messages) {
      try {
        if (reply === undefined) void super.send(topic, data);
        else (this.client as NatsConnection | null)?.publish(topic, data, { reply });
        sent();
      } catch (error) {
        // One that is too large, or that comes after the end of the connection, keeps no other back.
        refused(error);
      }
    }
  }

  /**
   * Refuses a request that was not delivered, as one that has not run; its node is back with its next heartbeat. The
   * node's other requests are rejected too: to wait for missed heartbeats (3 to 7 s) would outlast a service's call (5 s),
   * and no read could be repeated. A node that was only reconnecting would have answered them: its writes are recovered.
   */
  #refuse(id: string): void {
    const { transit, registry } = this.broker;
    const request = transit?.pendingRequests.get(id);
    if (request === undefined) return;
    const { nodeID } = request;
    // It is the action's definition, whatever Moleculer's types say.
    const { name } = request.action as unknown as { name: string };
    transit?.removePendingRequest(id);
    request.reject(new Errors.ServiceNotAvailableError({ action: name, nodeID }));
    registry.nodes.disconnected(nodeID, true);
  }
}
