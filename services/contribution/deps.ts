import { SAGA_TIMINGS } from '../../lib/saga/timings.ts';
import type { SagaTimings } from '../../lib/saga/timings.ts';
import type { ServiceContext } from '../../lib/service/service-context.ts';
import type { CycleSaga } from './cycles/cycle.saga.ts';
import type { ContributionSaga } from './payments/contribution.saga.ts';
import type { PaymentBatches } from './payments/payment.store.ts';
import type { SettlementSaga } from './settlement/settlement.saga.ts';

/** How long things may take. Tests shorten them; nothing else does. */
export interface ContributionTimings extends SagaTimings {
  /** How long a request waits for the ledger to settle, after it may have waited for contributions. */
  settlement_timeout_ms: number;
  /** How long a settlement waits for the meeting's pending contributions to be decided. */
  in_flight_wait_ms: number;
  in_flight_poll_ms: number;
}

/**
 * A settlement waits for contributions (5 s, as long as each may take) and then for the ledger (4 s): together below
 * the 10 s after which the gateway gives up. Polling each 20 ms is cheap beside a payment's flushes.
 */
export const CONTRIBUTION_TIMINGS: ContributionTimings = {
  ...SAGA_TIMINGS,
  settlement_timeout_ms: 4_000,
  in_flight_wait_ms: 5_000,
  in_flight_poll_ms: 20,
};

/** What the actions of this service work with. */
export interface ContributionDeps extends ServiceContext {
  readonly timings: ContributionTimings;
  readonly batches: PaymentBatches;
  readonly cycles: CycleSaga;
  readonly contributions: ContributionSaga;
  readonly settlements: SettlementSaga;
}
