import { CALL_TIMEOUT_MS } from '../service/call.ts';

/** How long sagas wait, in one place for all services. Only tests shorten these. */
export interface SagaTimings {
  /** How long a step waits for another service. */
  call_timeout_ms: number;
  /** How long a request waits for a closure or departure that may prevent it. */
  lock_wait_ms: number;
  /** How often each service looks for sagas that were left unfinished. */
  recover_every_ms: number;
  /** Recovery runs a saga without an attempt for this long: requests end within 10 s, so none is running it. */
  stale_after_ms: number;
}

export const SAGA_TIMINGS: SagaTimings = {
  call_timeout_ms: CALL_TIMEOUT_MS,
  // An ending takes some 50 ms, and the gateway waits 10 s in all.
  lock_wait_ms: 3_000,
  recover_every_ms: 1_000,
  stale_after_ms: 10_000,
};
