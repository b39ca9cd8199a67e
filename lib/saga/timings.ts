/** How long sagas wait, in one place for all services. Tests shorten these; nothing else does. */
export interface SagaTimings {
  /** How long a step waits for another service: half of what the gateway waits for this one. */
  call_timeout_ms: number;
  /** How long a request waits for the end of a closure or departure that may stand against it. */
  lock_wait_ms: number;
  /** How often each service looks for sagas that were left unfinished. */
  recover_every_ms: number;
  /** A saga without an attempt for so long was left by a request that has died: requests end within 10 s. */
  stale_after_ms: number;
}

export const SAGA_TIMINGS: SagaTimings = {
  call_timeout_ms: 5_000,
  // An ending takes some 50 ms, and the gateway waits 10 s in all.
  lock_wait_ms: 3_000,
  recover_every_ms: 1_000,
  stale_after_ms: 10_000,
};
