/** How many messages a person and a phone number get. Without limits, a user could cause any number of SMS at the operator's cost. */
import { createHmac } from 'node:crypto';
import { ALWAYS_TYPES, type MessageType } from '../message-types.rules.ts';
import type { Channel } from '../preferences/preferences.rules.ts';
import { DAY_MS, HOUR_MS } from '../times/zones.rules.ts';

/**
 * Messages an hour for a person, channel and type, of the types that are always sent: more than a person does by hand on a usual day.
 * What is beyond waits, and tells the last change.
 */
export const OF_PERSON_MAX = 5;
/** SMS in 24 hours to a number: many times what members of several groups get on their busiest day, and some euros at most. */
export const OF_PHONE_MAX = 50;
/** Codes among them: those that strangers ask for must leave room for the notices to the owner of the number. */
export const CODES_OF_PHONE_MAX = 20;

/** No count matters for longer. */
export const LONGEST_WINDOW_MS = DAY_MS;

export interface Limit {
  /** Stands for what is counted, and does not tell it. */
  counted_as: Buffer;
  max: number;
  window_ms: number;
  /** What becomes of a message that is beyond the limit. */
  beyond: 'waits' | 'is_skipped';
}

/**
 * Returns the limits, always in this order, that a message must keep.
 * @param to the address to which it is sent
 * @param key from which the values are derived that stand for people and numbers
 */
export function limitsOf(
  { type, channel, user_id }: { type: MessageType; channel: Channel; user_id: string },
  to: string,
  key: string,
): Limit[] {
  const limits: Limit[] = [];
  const isAlways = (ALWAYS_TYPES as readonly MessageType[]).includes(type);
  const countedAs = (...words: string[]) => createHmac('sha256', key).update(JSON.stringify(words)).digest();
  if (isAlways) {
    const counted_as = countedAs('person', channel, type, user_id);
    limits.push({ counted_as, max: OF_PERSON_MAX, window_ms: HOUR_MS, beyond: 'waits' });
  }
  if (channel === 'sms') {
    const ofDay = { window_ms: LONGEST_WINDOW_MS, beyond: 'is_skipped' } as const;
    if (type === 'confirm_address') {
      limits.push({ counted_as: countedAs('codes', to), max: CODES_OF_PHONE_MAX, ...ofDay });
    }
    limits.push({ counted_as: countedAs('phone', to), max: OF_PHONE_MAX, ...ofDay });
  }
  return limits;
}
