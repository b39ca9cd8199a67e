import type { RecurringJob } from '../service/recurring-job.ts';
import type { RelayParts } from './outbox-relay.ts';

/** Far longer than usual: events are published within milliseconds, or within seconds if another relay takes over. */
const DELAYED_AFTER_MS = 30_000;

/** How often each process checks, whether its relay leads or not. */
const CHECK_EVERY_MS = 5_000;

/** How often the log repeats the error while the delay lasts. */
const REMIND_MS = 60_000;

/** A job that looks for events that wait too long in an outbox. */
export interface DelayedEvents extends RecurringJob {
  /** Whether the last run found delayed events. */
  hasAny(): boolean;
}

/** Watches the age of the oldest unpublished event, and logs when it is too old, and when it no longer is. */
export function watchDelayedEvents({ db, outbox, clock, log }: Omit<RelayParts, 'bus' | 'poll_ms'>): DelayedEvents {
  let logged_ms: number | undefined;
  return {
    name: 'delayed events',
    every_ms: CHECK_EVERY_MS,
    hasAny: () => logged_ms !== undefined,
    async run() {
      const oldest = await db.first<{ time: string }>(OLDEST_UNPUBLISHED);
      const now_ms = clock().getTime();
      const waits_ms = oldest === undefined ? 0 : now_ms - Date.parse(oldest.time);
      if (waits_ms <= DELAYED_AFTER_MS) {
        if (logged_ms !== undefined) log.warn('relay: events are published in time again', { outbox });
        logged_ms = undefined;
      } else if (logged_ms === undefined || now_ms - logged_ms >= REMIND_MS) {
        log.error('relay: events are not published', { outbox, oldest: oldest?.time, waits_ms });
        logged_ms = now_ms;
      }
    },
  };
}

const OLDEST_UNPUBLISHED = `
  SELECT event ->> 'time' AS time FROM outbox WHERE published_at IS NULL ORDER BY position LIMIT 1`;
