/** Wires the parts of the service. */
import { createRequire } from 'node:module';
import { defineService } from '@association-service/contracts/service';
import { API, NAME } from './contracts.ts';
import { onEvent } from './groups/on-event.ts';
import { jobsOf } from './jobs.ts';
import { measureOldest, METER } from './metrics.ts';
import { listSentToCaller } from './messages/list-sent.ts';
import { MIGRATIONS } from './migrations.ts';
import { tellUser } from './occasions/tell-user.ts';
import { outsideBy } from './outside.ts';
import { changeOwnPreferences } from './preferences/change-preferences.ts';
import { confirmAddressOfCaller } from './preferences/confirm-own-address.ts';
import { readOwnPreferences } from './preferences/get-preferences.ts';
import { GENERATED_SECRETS, openChannels, readSettings, SECRETS } from './settings.ts';
import { readOldestAgeSeconds } from './upkeep.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

export const reminders = defineService({
  name: NAME,
  version,
  api: API,
  migrations: MIGRATIONS,
  secrets: SECRETS,
  generatedSecrets: GENERATED_SECRETS,
  settings: readSettings,
  start: (given) => {
    const { settings, broker, log } = given;
    const channels = openChannels(settings);
    const parts = { ...given, channels, outside: outsideBy(broker), meter: METER, codeKey: settings.codeKey };
    if (channels.size === 0) log.info('reminders: SMTP_URL and SMS_URL are not set, so that nothing is sent');
    const stopMeasuring = measureOldest(() => readOldestAgeSeconds(parts));
    return {
      actions: {
        get_preferences: readOwnPreferences(parts),
        change_preferences: changeOwnPreferences(parts),
        confirm_address: confirmAddressOfCaller(parts),
        list_sent: listSentToCaller(parts),
        tell: tellUser(parts),
      },
      subscriptions: [onEvent(parts)],
      jobs: jobsOf(parts),
      stop: () => {
        stopMeasuring();
        for (const channel of channels.values()) channel.close();
        return Promise.resolve();
      },
    };
  },
});
