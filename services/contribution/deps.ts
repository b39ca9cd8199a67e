import { LOCK_WAIT_MS } from '../../lib/locks/locks.ts';
import type { Foundation } from '../../lib/service/service-context.ts';
import type { GatheredStatements } from './payments/gathered.ts';

/** How long things may take. Tests shorten them; nothing else does. */
export interface Timings {
  /** How long a request waits for the ledger before it answers 202. */
  transfer_deadline_ms: number;
  /** The same for a settlement, which may have waited for contributions before. */
  settlement_deadline_ms: number;
  /** How long a request waits for membership within a saga. */
  membership_deadline_ms: number;
  /** How long a settlement waits for the meeting's pending contributions to be decided. */
  in_flight_wait_ms: number;
  in_flight_poll_ms: number;
  /** How long a request waits for the end of a closure that may stand against it. */
  lock_wait_ms: number;
  sweep_every_ms: number;
  /** What nobody has touched for so long was left half done: longer than any request drives it. */
  stale_after_ms: number;
}

/**
 * A settlement waits for contributions (5 s, as long as each may take) and then for the ledger (4 s): together below
 * the 10 s after which the gateway gives up. Polling each 20 ms is cheap beside a payment's flushes.
 */
export const DEFAULT_TIMINGS: Timings = {
  transfer_deadline_ms: 5_000,
  settlement_deadline_ms: 4_000,
  membership_deadline_ms: 5_000,
  in_flight_wait_ms: 5_000,
  in_flight_poll_ms: 20,
  lock_wait_ms: LOCK_WAIT_MS,
  sweep_every_ms: 1_000,
  stale_after_ms: 10_000,
};

/** What the actions and sagas of this service work with. */
export interface ContributionDeps {
  readonly foundation: Foundation;
  readonly gathered: GatheredStatements;
  readonly timings: Timings;
}
