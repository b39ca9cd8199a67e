import type { Group } from '../groups/groups.store.ts';
import type { Occasion } from '../occasions/occasions.store.ts';
import type { Recipient } from '../occasions/recipients.ts';
import type { Parts } from '../parts.ts';
import { CHANNELS, channelsFor, isAlwaysSent, isWanted } from '../preferences/preferences.rules.ts';
import { readPeople } from '../preferences/preferences.store.ts';
import { afterQuietHours } from '../times/quiet-hours.rules.ts';
import type { NewMessage } from './messages.store.ts';
import { writeFor } from './write-message.ts';

/** Returns the messages about an occasion, on the channels that each recipient has chosen. */
export async function newMessages(
  { db, clock, newId, channels }: Pick<Parts, 'db' | 'clock' | 'newId' | 'channels'>,
  occasion: Occasion,
  group: Group | null,
  recipients: readonly Recipient[],
): Promise<NewMessage[]> {
  const { key, type, association_id, due_at, expires_at } = occasion;
  const now = clock();
  const people = await readPeople(db, [...new Set(recipients.map(({ user_id }) => user_id))]);
  const configured = new Set(channels.keys());
  const messages = new Map<string, NewMessage>();
  for (const { member_id, user_id, facts } of recipients) {
    const person = people.get(user_id);
    if (person === undefined || !isWanted(person.preferences, type)) continue;
    const { preferences, addresses } = person;
    const confirmed = new Set(CHANNELS.filter((channel) => addresses[channel]?.in_use != null));
    const isQuiet = group !== null && !isAlwaysSent(type);
    const not_before = isQuiet ? afterQuietHours(preferences.quiet_hours, group.time_zone, now) : now;
    for (const { channel, skipped } of channelsFor(preferences, type, confirmed, configured)) {
      const reason = skipped ?? (not_before >= expires_at ? 'too_late' : null);
      const status = reason === null ? 'waiting' : 'skipped';
      const message_id = newId();
      // With its subject if it is skipped or may join another one, so that the record says what was not sent.
      const isWritten = reason !== null || isAlwaysSent(type);
      const subject = isWritten ? writeFor({ type, facts }, group, preferences.language, now).piece.subject : null;
      const about = { occasion_key: key, user_id, member_id, association_id, type, facts, to_address: null };
      const times = { created_at: now, occurred_at: due_at, expires_at, not_before };
      messages.set(`${channel} ${user_id}`, { message_id, channel, status, reason, subject, ...about, ...times });
    }
  }
  return [...messages.values()];
}
