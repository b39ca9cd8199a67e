import { Transporters } from 'moleculer';

interface Message {
  topic: string;
  data: Buffer;
  sent: () => void;
  refused: (error: unknown) => void;
}

/**
 * Moleculer's NATS transporter, but that all messages of one turn of the event loop leave in one write: under load the
 * system calls for each message by itself cost more than the messages.
 */
export class GatheringNats extends Transporters.NATS {
  #waiting: Message[] = [];

  override send(topic: string, data: Buffer): Promise<void> {
    return new Promise((sent, refused) => {
      if (this.#waiting.push({ topic, data, sent, refused }) === 1) setImmediate(() => this.#sendAll());
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
    for (const { topic, data, sent, refused } of messages) {
      try {
        void super.send(topic, data);
        sent();
      } catch (error) {
        // One that is too large, or that comes after the end of the connection, keeps no other back.
        refused(error);
      }
    }
  }
}
