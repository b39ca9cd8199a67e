import type { ServiceContext } from '../../lib/service/service-context.ts';
import type { CycleSaga } from './cycles/cycle.saga.ts';
import type { ContributionSaga } from './payments/contribution.saga.ts';
import type { FinePaymentSaga } from './fines/fine-payment.saga.ts';
import type { PaymentBatches } from './payments/payment.store.ts';
import type { SettlementSaga } from './settlement/settlement.saga.ts';
import type { SheetSaga } from './sheets/sheet.saga.ts';
import type { ContributionTimings } from './timings.ts';

/** The dependencies of the actions of the contribution service. */
export interface ContributionDeps extends ServiceContext {
  readonly timings: ContributionTimings;
  readonly payments: PaymentBatches;
  readonly cycles: CycleSaga;
  readonly contributions: ContributionSaga;
  readonly settlements: SettlementSaga;
  readonly finePayments: FinePaymentSaga;
  readonly sheets: SheetSaga;
}
