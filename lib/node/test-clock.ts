import type { Clock } from './clock.ts';

/** The clock of services under CLOCK=test: the system's clock plus an offset that only grows (ADR 32). */
export interface TestClock {
  readonly now: Clock;
  /** Advances to an offset. A smaller one than the current has no effect. */
  advance(offset_ms: number): void;
  /** Whether the process has learned the offset since it started. */
  isKnown(): boolean;
}

export function createTestClock(system: Clock): TestClock {
  let current_ms: number | undefined;
  return {
    now: () => new Date(system().getTime() + (current_ms ?? 0)),
    advance(offset_ms) {
      current_ms = Math.max(current_ms ?? 0, offset_ms);
    },
    isKnown: () => current_ms !== undefined,
  };
}
