import type { Foundation } from '../../lib/service/foundation.ts';
import type { LedgerWriter } from './persistence/ledger/ledger-writer.ts';
import type { CashDepositSaga } from './sagas/cash-deposit-saga.ts';
import type { DistributionSaga } from './sagas/distribution-saga.ts';
import type { Timings } from './sagas/timings.ts';

/** What the actions of the treasury work with. */
export interface TreasuryDeps {
  foundation: Foundation;
  ledger: LedgerWriter;
  cashDeposits: CashDepositSaga;
  distributions: DistributionSaga;
  timings: Timings;
}
