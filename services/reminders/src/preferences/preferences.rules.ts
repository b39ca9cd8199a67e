/** What a person has chosen, and what follows from it. */
import {
  ALWAYS_TYPES,
  ADDRESS_TYPES,
  REMINDER_TYPES,
  type MessageType,
  type ReminderType,
} from '../message-types.rules.ts';
import { LANGUAGES, type Language } from '../texts/languages.rules.ts';
import type { QuietHours } from '../times/quiet-hours.rules.ts';

export const CHANNELS = ['email', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

export interface Preferences {
  language: Language;
  channels: Channel[];
  types: ReminderType[];
  quiet_hours: QuietHours | null;
}

/** Those of a person who has chosen nothing. */
export const DEFAULT_PREFERENCES: Preferences = {
  language: LANGUAGES[0],
  channels: [...CHANNELS],
  types: [...REMINDER_TYPES],
  quiet_hours: null,
};

const ALWAYS: ReadonlySet<string> = new Set([...ALWAYS_TYPES, ...ADDRESS_TYPES]);

/** Whether a message is sent whatever the person has chosen, also in quiet hours. */
export function isAlwaysSent(type: MessageType): boolean {
  return ALWAYS.has(type);
}

/** Whether a person wants messages of a type. */
export function isWanted({ types }: Preferences, type: MessageType): boolean {
  return isAlwaysSent(type) || (types as readonly string[]).includes(type);
}

/** A message on one channel, or the record that it was skipped. */
export interface Plan {
  channel: Channel;
  skipped?: 'no_channel' | 'no_address';
}

/**
 * Decides on which channels a person gets a message. There is a record even if they get none, so that they see why.
 * @param confirmed the channels for which the person has a confirmed address
 * @param configured the channels that the settings name
 */
export function channelsFor(
  { channels }: Pick<Preferences, 'channels'>,
  type: MessageType,
  confirmed: ReadonlySet<Channel>,
  configured: ReadonlySet<Channel>,
): Plan[] {
  const wanted = channels.filter((channel) => confirmed.has(channel));
  // What protects a person reaches them even if they have chosen no channel.
  const reached = wanted.length === 0 && isAlwaysSent(type) ? CHANNELS.filter((each) => confirmed.has(each)) : wanted;
  if (reached.length > 0) {
    return reached.map((channel) => (configured.has(channel) ? { channel } : { channel, skipped: 'no_channel' }));
  }
  // Who has chosen no channel wants no record either.
  if (channels.length === 0 && !isAlwaysSent(type)) return [];
  const [channel = CHANNELS[0]] = channels;
  return [{ channel, skipped: configured.size === 0 ? 'no_channel' : 'no_address' }];
}

/** Returns the words of a list once each, in the order of `all`. */
export function inOrder<T extends string>(all: readonly T[], chosen: readonly T[]): T[] {
  return all.filter((each) => chosen.includes(each));
}
