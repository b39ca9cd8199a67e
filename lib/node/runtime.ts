import type { Settings } from '../config/settings.ts';
import type { ProbeTimings } from '../db/prober.ts';
import type { Clock } from './clock.ts';
import type { Resources } from './resources.ts';
import type { TestClock } from './test-clock.ts';

/** All dependencies of a service: settings, servers, time, randomness, and the hook of the chaos tests. */
export interface Runtime {
  settings: Settings;
  resources: Resources;
  clock: Clock;
  /** The real time, also under CLOCK=test: for tokens, statements of callers, and keys. */
  systemClock: Clock;
  /** Present under CLOCK=test; `clock` is then its time. */
  testClock?: TestClock | undefined;
  /** Returns a new UUIDv7 (RFC 9562) from the clock and the random source. The ids of one process sort by creation. */
  newId: () => string;
  /** Returns `length` random bytes. */
  randomBytes: (length: number) => Buffer;
  /**
   * Announces that a saga has reached a named step. In production it does nothing; tests pass a hook that stops the
   * process there, to show that the state converges from every step.
   */
  reached: (step: string) => Promise<void>;
  /** Only tests shorten these. */
  probeTimings: ProbeTimings;
}
