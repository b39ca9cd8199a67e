import type { Logger } from 'moleculer';
import type { Db } from '../db/db.ts';
import type { Clock } from '../node/runtime.ts';

/** An event leaves within milliseconds, and within seconds where a relay takes over: this is neither. */
const DELAYED_AFTER_MS = 30_000;

/** How often each process looks, whether its relay leads or not. */
const LOOK_EVERY_MS = 5_000;

/** How often the log says so while it lasts. */
const REMIND_MS = 60_000;

export interface DelayedEventsParts {
  /** Of the database with the outbox. */
  db: Db;
  /** The service's name. */
  outbox: string;
  clock: Clock;
  log: Logger;
}

/** Looks for events that wait too long in an outbox. For startJob(). */
export interface DelayedEvents {
  readonly name: string;
  readonly every_ms: number;
  run(): Promise<void>;
  /** Whether the last look found some. */
  areThere(): boolean;
}

/** Watches the age of the oldest event that is not published, and says in the log when it is too great. */
export function watchDelayedEvents({ db, outbox, clock, log }: DelayedEventsParts): DelayedEvents {
  let told_ms: number | undefined;
  return {
    name: 'delayed events',
    every_ms: LOOK_EVERY_MS,
    areThere: () => told_ms !== undefined,
    async run() {
      const oldest = await db.first<{ time: string }>(OLDEST_UNPUBLISHED);
      const now_ms = clock().getTime();
      const waits_ms = oldest === undefined ? 0 : now_ms - Date.parse(oldest.time);
      if (waits_ms <= DELAYED_AFTER_MS) {
        if (told_ms !== undefined) log.warn('relay: events are published in time again', { outbox });
        told_ms = undefined;
      } else if (told_ms === undefined || now_ms - told_ms >= REMIND_MS) {
        log.error('relay: events are not published', { outbox, oldest: oldest?.time, waits_ms });
        told_ms = now_ms;
      }
    },
  };
}

const OLDEST_UNPUBLISHED = `
  SELECT event ->> 'time' AS time FROM outbox WHERE published_at IS NULL ORDER BY position LIMIT 1`;
