import { invalid, type EndpointInput, type FieldComplaint } from '@association-service/contracts';
import { implementWrite, requireUnchanged, type WriteContext } from '@association-service/contracts/moleculer';
import { changePreferences } from '../contracts.ts';
import { REMINDER_TYPES } from '../message-types.rules.ts';
import { releaseWaiting } from '../messages/messages.store.ts';
import type { Parts } from '../parts.ts';
import { readTime } from '../times/quiet-hours.rules.ts';
import { readEmail, readPhone } from './addresses.rules.ts';
import { removeAddress, setAddress } from './change-address.ts';
import { CHANNELS, inOrder, type Channel, type Preferences } from './preferences.rules.ts';
import { lockPerson, readPerson, storePreferences } from './preferences.store.ts';
import { preferencesView } from './preferences.view.ts';

type Body = EndpointInput<typeof changePreferences>['body'];

export const changeOwnPreferences = (parts: Parts & WriteContext) =>
  implementWrite(
    parts,
    changePreferences,
    async ({ body }, { user_id }, ctx, operation) =>
      parts.db.transaction(async (tx) => {
        await lockPerson(tx, user_id);
        const before = await readPerson(tx, user_id);
        await requireUnchanged(ctx, () => preferencesView(before));
        await storePreferences(tx, user_id, changed(before.preferences, body));
        // In this order everywhere, so that two requests cannot wait for each other's counts of codes.
        for (const channel of CHANNELS) {
          const address = readAddress(channel, body);
          const stored = before.addresses[channel];
          if (address === null) await removeAddress(parts, tx, user_id, channel, stored);
          else if (address !== undefined) await setAddress(parts, tx, user_id, channel, address, stored);
        }
        // Quiet hours may have become shorter; sending decides again.
        if (body.quiet_hours !== undefined) await releaseWaiting(tx, user_id, parts.clock());
        const answer = preferencesView(await readPerson(tx, user_id));
        await operation.keep(tx, answer);
        await parts.reached('reminders.preferences_stored');
        return answer;
      }),
    { check: ({ body }) => checkBody(body) },
  );

function changed(before: Preferences, body: Body): Preferences {
  const { language, channels, types, quiet_hours } = body;
  return {
    language: language ?? before.language,
    channels: channels === undefined ? before.channels : inOrder(CHANNELS, channels),
    types: types === undefined ? before.types : inOrder(REMINDER_TYPES, types),
    quiet_hours:
      quiet_hours === undefined
        ? before.quiet_hours
        : quiet_hours && { ...quiet_hours, time_zone: quiet_hours.time_zone ?? null },
  };
}

/** Returns the address in its normal form, null if it is removed, undefined if it stays. */
function readAddress(channel: Channel, { email, phone }: Body): string | null | undefined {
  if (channel === 'email') return email && readEmail(email);
  return phone && readPhone(phone);
}

/** @throws validation_failed */
function checkBody({ email, phone, quiet_hours }: Body): void {
  const found: FieldComplaint[] = [];
  const complain = (pointer: string, detail: string) => found.push({ pointer, code: 'malformed', detail });
  if (email != null && readEmail(email) === undefined) {
    complain('/email', 'This must be an e-mail address such as awa@example.com.');
  }
  if (phone != null && readPhone(phone) === undefined) {
    complain('/phone', 'This must be a phone number with its country code, such as +237 6 70 00 00 00.');
  }
  if (quiet_hours != null) {
    const { from, to } = quiet_hours;
    for (const [name, time] of [
      ['from', from],
      ['to', to],
    ] as const) {
      if (readTime(time) === undefined) complain(`/quiet_hours/${name}`, 'This must be a time of day, HH:MM.');
    }
    if (readTime(from) !== undefined && from === to) {
      complain('/quiet_hours/to', 'This must differ from `from`: leave out all channels to get nothing.');
    }
  }
  if (found.length > 0) throw invalid(...found);
}
