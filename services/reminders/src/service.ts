/** Wires the parts of the service. */
import { createRequire } from 'node:module';
import { defineService, type RecurringJob } from '@association-service/contracts/service';
import { API, NAME } from './contracts.ts';
import { onEvent } from './groups/on-event.ts';
import { createMeter } from './metrics.ts';
import { listSentToCaller } from './messages/list-sent.ts';
import { sendMessages } from './messages/send-messages.ts';
import { MIGRATIONS } from './migrations.ts';
import { expandOccasions } from './occasions/expand-occasions.ts';
import { planMeetings } from './occasions/plan-meetings.ts';
import { tellUser } from './occasions/tell-user.ts';
import { outsideBy } from './outside.ts';
import type { Parts } from './parts.ts';
import { changeOwnPreferences } from './preferences/change-preferences.ts';
import { confirmAddressOfCaller } from './preferences/confirm-own-address.ts';
import { readOwnPreferences } from './preferences/get-preferences.ts';
import { GENERATED_SECRETS, openChannels, readSettings, SECRETS } from './settings.ts';
import { measure, prune } from './upkeep.ts';

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

/** A code is waited for; everything else could wait longer. */
const RUN_EVERY_MS = 1_000;
const MEASURE_EVERY_MS = 15_000;
const PRUNE_EVERY_MS = 3_600_000;

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
    const parts = { ...given, channels, outside: outsideBy(broker), meter: createMeter(), codeKey: settings.codeKey };
    if (channels.size === 0) log.info('reminders: SMTP_URL and SMS_URL are not set, so that nothing is sent');
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
        for (const channel of channels.values()) channel.close();
        return Promise.resolve();
      },
    };
  },
});

function jobsOf(parts: Parts): RecurringJob[] {
  const prepare = oneByOne(async () => {
    await planMeetings(parts);
    await expandOccasions(parts);
  });
  const send = oneByOne(() => sendMessages(parts));
  return [
    { name: 'reminders prepare', every_ms: RUN_EVERY_MS, followsClock: true, run: prepare },
    { name: 'reminders send', every_ms: RUN_EVERY_MS, followsClock: true, run: send },
    { name: 'reminders measure', every_ms: MEASURE_EVERY_MS, run: () => measure(parts) },
    { name: 'reminders prune', every_ms: PRUNE_EVERY_MS, run: () => prune(parts) },
  ];
}

/** Returns a function that waits for a run that is going on before it runs: what was due at its call is then done. */
function oneByOne(run: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => (last = last.then(run, run));
}
