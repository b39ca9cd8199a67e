/** What the service does in the background. Each is a job of its own, so that a channel that is slow delays nothing else. */
import type { RecurringJob } from '@association-service/contracts/service';
import { recoverMessages } from './messages/recover-messages.ts';
import { sendingOn } from './messages/send-messages.ts';
import { expandOccasions } from './occasions/expand-occasions.ts';
import { planMeetings } from './occasions/plan-meetings.ts';
import type { Parts } from './parts.ts';
import { CHANNELS } from './preferences/preferences.rules.ts';
import { prune } from './upkeep.ts';

/** A code is waited for; everything else could wait longer. */
const RUN_EVERY_MS = 1_000;
/** Little, compared with the lease after which an attempt is abandoned. */
const RECOVER_EVERY_MS = 5_000;
/** Requests for codes, and counts of messages, are deleted soon after the time for which they count. */
const PRUNE_EVERY_MS = 600_000;

/** Returns the jobs. Those that follow the clock do what is due by then. */
export function jobsOf(parts: Parts): RecurringJob[] {
  const due = (name: string, run: RecurringJob['run']): RecurringJob => ({
    name: `reminders ${name}`,
    every_ms: RUN_EVERY_MS,
    followsClock: true,
    run: oneByOne(run),
  });
  return [
    { name: 'reminders recover', every_ms: RECOVER_EVERY_MS, run: () => recoverMessages(parts) },
    due('prepare', async (stopping) => {
      await planMeetings(parts, stopping);
      await expandOccasions(parts, stopping);
    }),
    ...CHANNELS.map((channel) => due(`send ${channel}`, sendingOn(parts, channel))),
    { name: 'reminders prune', every_ms: PRUNE_EVERY_MS, run: (stopping) => prune(parts, stopping) },
  ];
}

/** Returns a function that waits for a run that is going on before it runs: what was due at its call is then done. */
function oneByOne(run: RecurringJob['run']): RecurringJob['run'] {
  let last: Promise<void> = Promise.resolve();
  return (stopping) => {
    const next = () => run(stopping);
    return (last = last.then(next, next));
  };
}
