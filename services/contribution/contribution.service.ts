import type { Service, ServiceSchema } from 'moleculer';
import { health } from '../../lib/contracts/contribution.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { healthAction } from '../../lib/service/health.ts';
import { openService } from '../../lib/service/service-context.ts';
import { testClockActions } from '../../lib/service/test-clock.ts';
import { listArrearsAction } from './arrears/list-arrears.ts';
import { executeApprovalAction } from './approvals/execute-approval.ts';
import { lockActions } from './association/lock-association.ts';
import { obligationsAction, statementFactsAction } from './association/read-member.ts';
import { createCycleSaga } from './cycles/cycle.saga.ts';
import { getCycleAction, listCyclesAction } from './cycles/read-cycles.ts';
import { startCycleAction } from './cycles/start-cycle.ts';
import { contributionDatabase } from './database.ts';
import { CONTRIBUTION_TIMINGS, type ContributionTimings } from './timings.ts';
import type { ContributionDeps } from './deps.ts';
import { fineActions } from './fines/fine-actions.ts';
import { meetingActions } from './meetings/meeting-actions.ts';
import { createFinePaymentSaga } from './fines/fine-payment.saga.ts';
import { latePaymentsJob } from './fines/assess-automatic-fines.ts';
import { printSheetAction } from './printed-sheets/print-sheet.ts';
import { overviewAction } from './overview/read-overview.ts';
import { createContributionSaga } from './payments/contribution.saga.ts';
import { payerStatementsJob } from './payments/payer-statement.store.ts';
import { paymentActions } from './payments/payment-actions.ts';
import { batchPayments } from './payments/payment.store.ts';
import { reversalActions } from './reversals/reversal-actions.ts';
import { savingsOfTransfersAction } from './settlement/read-savings.ts';
import { getSettlementAction, previewSettlementAction } from './settlement/read-settlement.ts';
import { settleAction } from './settlement/settle.ts';
import { createSettlementSaga, reopeningJob } from './settlement/settlement.saga.ts';
import { sheetActions } from './sheets/sheet-actions.ts';
import { createSheetSaga } from './sheets/sheet.saga.ts';

export interface ContributionOptions {
  /** For tests. */
  timings?: Partial<ContributionTimings>;
}

/**
 * Creates the service for cycles, meetings, contributions and settlements.
 * @throws StartupError in one line if its database or NATS is unavailable
 */
export async function contributionService(runtime: Runtime, options: ContributionOptions = {}): Promise<ServiceSchema> {
  const context = await openService(runtime, 'contribution', contributionDatabase);
  const timings = { ...CONTRIBUTION_TIMINGS, ...options.timings };
  const payments = batchPayments(context.db.batches, context.db, runtime.clock);
  const deps: ContributionDeps = {
    ...context,
    timings,
    payments,
    cycles: createCycleSaga(context, timings),
    contributions: createContributionSaga(context, payments, timings),
    settlements: createSettlementSaga(context, timings),
    finePayments: createFinePaymentSaga(context, timings),
    sheets: createSheetSaga(context, timings),
  };
  return {
    name: 'contribution',
    actions: {
      start_cycle: startCycleAction(deps),
      list_cycles: listCyclesAction(deps),
      get_cycle: getCycleAction(deps),
      ...paymentActions(deps),
      preview_settlement: previewSettlementAction(deps),
      settle: settleAction(deps),
      get_settlement: getSettlementAction(deps),
      print_sheet: printSheetAction(deps),
      ...meetingActions(deps),
      ...fineActions(deps),
      ...reversalActions(deps),
      list_arrears: listArrearsAction(deps),
      ...sheetActions(deps),
      execute_approval: executeApprovalAction(deps),
      obligations: obligationsAction(deps),
      statement_facts: statementFactsAction(deps),
      overview: overviewAction(deps),
      savings_of_transfers: savingsOfTransfersAction(deps),
      ...lockActions(deps),
      ...testClockActions(context),
      health: healthAction(health, context),
    },
    started(this: Service) {
      context.start(this, {
        sagas: [deps.cycles, deps.contributions, deps.settlements, deps.finePayments, deps.sheets],
        jobs: [
          reopeningJob(context, timings),
          payerStatementsJob(context.db),
          latePaymentsJob(context, timings.late_payments_every_ms, this.logger),
        ],
      });
    },
    stopped: () => context.stop(),
  };
}
