import { SAGA_TIMINGS, type SagaTimings } from '../../lib/saga/timings.ts';

/** Timeouts and intervals of the contribution service, in milliseconds. Only tests change them. */
export interface ContributionTimings extends SagaTimings {
  /** How long a request waits for the ledger's transfer, after it may have waited for contributions. */
  settlement_timeout_ms: number;
  /** How long a settlement waits for the meeting's pending contributions to be decided. */
  in_flight_wait_ms: number;
  /** How often a waiting settlement reads whether they are decided. */
  in_flight_poll_ms: number;
  /** How often late payments are looked for. */
  late_payments_every_ms: number;
}

/**
 * A settlement waits for contributions (5 s, as long as each may take) and then for the ledger (4 s): together
 * less than the 10 s after which the gateway gives up. A poll every 20 ms costs little compared with a payment's flushes.
 */
export const CONTRIBUTION_TIMINGS: ContributionTimings = {
  ...SAGA_TIMINGS,
  settlement_timeout_ms: 4_000,
  in_flight_wait_ms: 5_000,
  in_flight_poll_ms: 20,
  // A fine may be assessed so long after its day has begun.
  late_payments_every_ms: 60_000,
};
