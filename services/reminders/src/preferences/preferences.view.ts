import type { Answer } from '@association-service/contracts';
import type { getPreferences } from '../contracts.ts';
import type { Person } from './preferences.store.ts';

/** Returns what a person has chosen, as they see it. */
export function preferencesView({ preferences, addresses }: Person): Answer<typeof getPreferences> {
  const { email, sms } = addresses;
  const { language, channels, quiet_hours, types } = preferences;
  return {
    email: email?.address ?? null,
    email_confirmed: email !== undefined && email.address === email.in_use,
    email_in_use: email?.in_use ?? null,
    phone: sms?.address ?? null,
    phone_confirmed: sms !== undefined && sms.address === sms.in_use,
    phone_in_use: sms?.in_use ?? null,
    language,
    channels,
    quiet_hours,
    types,
  };
}
