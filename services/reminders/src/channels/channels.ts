/** The ways to a person. */
import type { Outcome } from '../messages/messages.rules.ts';
import type { Channel } from '../preferences/preferences.rules.ts';
import type { WrittenMessage } from '../texts/texts.view.ts';

export interface Delivery {
  /** The message's id, the same in each attempt. */
  message_id: string;
  to: string;
  message: WrittenMessage;
  /**
   * To be awaited just before the other side gets what it needs to accept the message.
   * @returns false if it must not get it
   */
  handOver: () => Promise<boolean>;
}

export interface Sender {
  /** Sends once, and says what came of it. It throws only if that is unknown. */
  send(delivery: Delivery): Promise<Outcome>;
  close(): void;
}

/** The channels that the settings name. */
export type Channels = ReadonlyMap<Channel, Sender>;
