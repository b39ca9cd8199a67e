import { SAGA_TIMINGS, type SagaTimings } from '../../lib/saga/timings.ts';

/** How long things may take. Tests shorten them; nothing else does. */
export interface MembershipTimings extends SagaTimings {
  /** How long a closure waits for requests that other services have not decided, before it leaves the rest to recovery. */
  undecided_wait_ms: number;
  undecided_poll_ms: number;
  /** How often nodes exchange which PIN keys they have. */
  key_exchange_ms: number;
}

export const MEMBERSHIP_TIMINGS: MembershipTimings = {
  ...SAGA_TIMINGS,
  // Most requests are decided within 50 ms; governance waits 3 s for a closure.
  undecided_wait_ms: 1_000,
  undecided_poll_ms: 20,
  key_exchange_ms: 1_000,
};
