import { LOCK_WAIT_MS } from '../../lib/locks/locks.ts';
import type { Foundation } from '../../lib/service/service-context.ts';
import type { LedgerWriter } from './ledger/ledger-writer.ts';
import type { CashDepositSaga } from './cash/cash-deposit.saga.ts';
import type { DistributionSaga } from './distributions/distribution.saga.ts';

/** The waits of the sagas. Tests shorten them. */
export interface Timings {
  /** How long a request waits for another service's answer: half of what the gateway waits for this one. */
  peer_timeout_ms: number;
  /** How long a request waits for the end of a closure or departure that may stand against it. */
  lock_wait_ms: number;
  /** How often a sweeper looks for plans that were left half done. */
  sweep_every_ms: number;
  /** A plan untouched for this long has been left: longer than any request that is still on it can wait. */
  stale_after_ms: number;
}

export const DEFAULT_TIMINGS: Timings = {
  peer_timeout_ms: 5_000,
  lock_wait_ms: LOCK_WAIT_MS,
  sweep_every_ms: 1_000,
  stale_after_ms: 10_000,
};

/** What the actions of the treasury work with. */
export interface TreasuryDeps {
  foundation: Foundation;
  ledger: LedgerWriter;
  cashDeposits: CashDepositSaga;
  distributions: DistributionSaga;
  timings: Timings;
}
