import { Transporters } from 'moleculer';

interface Message {
  topic: string;
  data: Buffer;
}

/**
 * Moleculer's NATS transporter, but that all messages of one turn of the event loop leave in one write: under load the
 * system calls for each message by itself cost more than the messages.
 */
export class GatheringNats extends Transporters.NATS {
  #waiting: Message[] = [];

  override send(topic: string, data: Buffer): Promise<void> {
    if (this.#waiting.push({ topic, data }) === 1) setImmediate(() => this.#sendAll());
    return this.broker.Promise.resolve();
  }

  /** Nothing that was handed over stays behind. */
  override disconnect(): Promise<void> {
    this.#sendAll();
    return super.disconnect();
  }

  #sendAll(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    try {
      // The client writes once for all that is published before it comes to write.
      for (const { topic, data } of messages) void super.send(topic, data);
    } catch (error) {
      // Only a connection that this process has closed itself refuses messages.
      this.logger.warn('messages came after the end of the connection', { message: (error as Error).message });
    }
  }
}
