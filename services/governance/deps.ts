import { LOCK_WAIT_MS } from '../../lib/locks/locks.ts';
import type { Foundation } from '../../lib/service/service-context.ts';

/** How long governance waits, and how often it looks after what is left over. */
export interface Timings {
  /** The answer to the deciding vote waits so long for the execution, then says `pending`. */
  execution_wait_ms: number;
  /** A sweeper, for whom nobody waits, gives the owner of a subject this long to answer. */
  sweep_call_ms: number;
  /** How long a proposal waits for the end of a closure that may stand against it. */
  lock_wait_ms: number;
  sweep_every_ms: number;
  /** A try younger than this may still be on its way. */
  stale_after_ms: number;
}

export const DEFAULT_TIMINGS: Timings = {
  // People wait for it; an owner answers within milliseconds unless something is wrong.
  execution_wait_ms: 3_000,
  // As long as any request waits for another service in a saga.
  sweep_call_ms: 5_000,
  lock_wait_ms: LOCK_WAIT_MS,
  sweep_every_ms: 1_000,
  // Twice the longest wait above.
  stale_after_ms: 10_000,
};

/** What the actions, event handlers and sweeps of governance work with. */
export interface GovernanceDeps {
  foundation: Foundation;
  timings: Timings;
}
