import type { SagaTimings } from '../../lib/saga/timings.ts';
import type { ServiceContext } from '../../lib/service/service-context.ts';
import type { CashDepositSaga } from './cash/cash-deposit.saga.ts';
import type { CorrectionSaga } from './corrections/correction.saga.ts';
import type { DistributionSaga } from './distributions/distribution.saga.ts';
import type { LedgerWriter } from './ledger/ledger-writer.ts';

/** The dependencies of the treasury's actions. */
export interface TreasuryDeps extends ServiceContext {
  ledger: LedgerWriter;
  cashDeposits: CashDepositSaga;
  distributions: DistributionSaga;
  corrections: CorrectionSaga;
  timings: SagaTimings;
}
