/** The service's own metrics, beside those that every service has. Labels never name a person. */
import { REGISTRY } from '@association-service/contracts/service';
import { Counter, Gauge } from 'prom-client';
import type { MessageType, Reason, ReminderType } from './message-types.rules.ts';
import type { DoneState } from './messages/message-states.rules.ts';
import type { Channel } from './preferences/preferences.rules.ts';

const registers = [REGISTRY];

const messages = new Counter({
  name: 'reminders_messages_total',
  help: 'Messages by what became of them. `reason` is empty for those that were sent.',
  labelNames: ['type', 'channel', 'outcome', 'reason'],
  registers,
});

const failures = new Counter({
  name: 'reminders_failed_attempts_total',
  help: 'Attempts that will be repeated, as the other side certainly has not taken the message.',
  labelNames: ['channel'],
  registers,
});

const dropped = new Counter({
  name: 'reminders_dropped_occasions_total',
  help: 'Occasions that were due and are not told, or not to all: `too_late`, or `no_longer_due`.',
  labelNames: ['type', 'reason'],
  registers,
});

const oldest = new Gauge({
  name: 'reminders_oldest_due_seconds',
  help: 'For how long the oldest message, occasion or meeting waits that should have been handled; 0 if none does.',
  registers,
});

/** Counts what became of messages and occasions. */
export interface Meter {
  done(type: MessageType, channel: Channel, outcome: DoneState, reason: Reason | null): void;
  failed(channel: Channel): void;
  dropped(type: ReminderType, reason: Reason): void;
}

/** Counts in the metrics of the process. */
export const METER: Meter = {
  done: (type, channel, outcome, reason) => {
    messages.inc({ type, channel, outcome, reason: reason ?? '' });
  },
  failed: (channel) => {
    failures.inc({ channel });
  },
  dropped: (type, reason) => {
    dropped.inc({ type, reason });
  },
};

/** Each scrape within this time gets the same value, as it costs queries. */
const READ_EVERY_MS = 5_000;

/**
 * Reads the gauge when it is scraped. While the database is away, it keeps its value.
 * @param readAgeSeconds returns its value
 * @returns a function that ends that
 */
export function measureOldest(readAgeSeconds: () => Promise<number>): () => void {
  let reading: Promise<void> = Promise.resolve();
  let read_at_ms = -Infinity;
  const read = async () => {
    oldest.set(await readAgeSeconds());
  };
  function collect(): Promise<void> {
    if (performance.now() - read_at_ms >= READ_EVERY_MS) {
      read_at_ms = performance.now();
      reading = read().catch(() => undefined);
    }
    return reading;
  }
  Object.assign(oldest, { collect });
  return () => {
    Object.assign(oldest, { collect: undefined });
  };
}
