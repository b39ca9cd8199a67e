/** The metrics of the service. Labels never name a person. */
import { REGISTRY } from '@association-service/contracts/service';
import { Counter, Gauge, type Metric } from 'prom-client';
import type { MessageType, Reason } from './message-types.rules.ts';
import type { Channel } from './preferences/preferences.rules.ts';

/** Counts what became of messages. */
export interface Meter {
  done(
    type: MessageType,
    channel: Channel,
    outcome: 'sent' | 'skipped' | 'failed' | 'unknown',
    reason: Reason | null,
  ): void;
  failed(channel: Channel): void;
  /** @param age_s of the oldest message or occasion that should have been handled; 0 if none waits */
  waiting(age_s: number): void;
}

const MESSAGES = 'reminders_messages_total';
const FAILURES = 'reminders_failed_attempts_total';
const OLDEST = 'reminders_oldest_due_seconds';

/** Returns a metric of this name, which another service of this process may have made. */
function once<M extends Metric>(name: string, make: () => M): M {
  return (REGISTRY.getSingleMetric(name) as M | undefined) ?? make();
}

export function createMeter(): Meter {
  const registers = [REGISTRY];
  const messages = once(
    MESSAGES,
    () =>
      new Counter({
        name: MESSAGES,
        help: 'Messages by what became of them. `reason` is empty for those that were sent.',
        labelNames: ['type', 'channel', 'outcome', 'reason'],
        registers,
      }),
  );
  const failures = once(
    FAILURES,
    () =>
      new Counter({
        name: FAILURES,
        help: 'Attempts that will be repeated, as the other side certainly has not taken the message.',
        labelNames: ['channel'],
        registers,
      }),
  );
  const oldest = once(
    OLDEST,
    () =>
      new Gauge({
        name: OLDEST,
        help: 'For how long the oldest message or occasion waits that should have been handled; 0 if none does.',
        registers,
      }),
  );
  return {
    done: (type, channel, outcome, reason) => {
      messages.inc({ type, channel, outcome, reason: reason ?? '' });
    },
    failed: (channel) => {
      failures.inc({ channel });
    },
    waiting: (age_s) => {
      oldest.set(age_s);
    },
  };
}
