import { SAGA_TIMINGS, type SagaTimings } from '../../lib/saga/timings.ts';

/** Waits and intervals. Only tests change them. */
export interface MembershipTimings extends SagaTimings {
  /** How long a closure waits for undecided requests in other services before it is left to recovery. */
  undecided_wait_ms: number;
  /** How often a waiting closure asks again. */
  undecided_poll_ms: number;
  /** How often nodes exchange which PIN keys they have. */
  key_exchange_ms: number;
}

export const MEMBERSHIP_TIMINGS: MembershipTimings = {
  ...SAGA_TIMINGS,
  // Most requests are decided within 50 ms. Governance waits 3 s for a closure, so this is well below it.
  undecided_wait_ms: 1_000,
  undecided_poll_ms: 20,
  key_exchange_ms: 1_000,
};
