import { ABANDONED_AFTER_MS } from '../node/takeover.ts';
import { CALL_TIMEOUT_MS } from '../service/call.ts';

/** How long sagas wait, for all services. Only tests shorten these. */
export interface SagaTimings {
  /** How long a step waits for another service. */
  call_timeout_ms: number;
  /** How long a request waits for a closure or departure that may prevent it. */
  lock_wait_ms: number;
  /** How often each service looks for unfinished sagas. */
  recover_every_ms: number;
  /** Recovery runs sagas that were not touched for this long. A step that waits touches its saga three times as often. */
  stale_after_ms: number;
}

export const SAGA_TIMINGS: SagaTimings = {
  call_timeout_ms: CALL_TIMEOUT_MS,
  // A closure or departure takes about 50 ms, and the gateway waits 10 s in total.
  lock_wait_ms: 3_000,
  recover_every_ms: 1_000,
  stale_after_ms: ABANDONED_AFTER_MS,
};
