import type { Service, ServiceSchema } from 'moleculer';
import { health } from '../../lib/contracts/treasury.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { SAGA_TIMINGS, type SagaTimings } from '../../lib/saga/timings.ts';
import { healthAction } from '../../lib/service/health.ts';
import { ROUTED_BY_ASSOCIATION } from '../../lib/service/routing.ts';
import { openService } from '../../lib/service/service-context.ts';
import { testClockActions } from '../../lib/service/test-clock.ts';
import { executeApprovalAction } from './approvals/execute-approval.ts';
import {
  lockAssociationAction,
  lockMembershipAction,
  obligationsAction,
  unlockAssociationAction,
  unlockMembershipAction,
} from './association/lock-association.ts';
import { balancesAction, cashBoxAction } from './association/read-balances.ts';
import { createCashDepositSaga } from './cash/cash-deposit.saga.ts';
import { cashLedgerAction } from './cash/read-cash-ledger.ts';
import { getCashContributionAction, listCashContributionsAction } from './cash/read-cash-contributions.ts';
import { recordCashContributionAction } from './cash/record-cash-contribution.ts';
import { correctionActions } from './corrections/correction-actions.ts';
import { createCorrectionSaga } from './corrections/correction.saga.ts';
import { treasuryDatabase } from './database.ts';
import type { TreasuryDeps } from './deps.ts';
import { createDistributionSaga } from './distributions/distribution.saga.ts';
import { requestDistributionAction } from './distributions/request-distribution.ts';
import { getDistributionAction, listDistributionsAction } from './distributions/read-distributions.ts';
import { LedgerWriter } from './ledger/ledger-writer.ts';
import { transferAction } from './ledger/post-transfer.ts';
import { ledgerAction, ledgerExportAction, ledgerHeadAction } from './ledger/read-ledger.ts';
import { statementAction } from './statements/read-statement.ts';
import { walletActions } from './wallets/wallet-actions.ts';

/** Opens the treasury service: the ledger, wallets, the cash box, distributions and corrections. `options` are for tests. */
export async function treasuryService(
  runtime: Runtime,
  options: { timings?: Partial<SagaTimings> } = {},
): Promise<ServiceSchema> {
  const context = await openService(runtime, 'treasury', treasuryDatabase);
  const timings = { ...SAGA_TIMINGS, ...options.timings };
  const ledger = new LedgerWriter(context);
  const cashDeposits = createCashDepositSaga(context, timings, ledger);
  const distributions = createDistributionSaga(context, timings, ledger);
  const corrections = createCorrectionSaga(context, timings, ledger, { cashDeposits, distributions });
  const deps: TreasuryDeps = { ...context, timings, ledger, cashDeposits, distributions, corrections };
  return {
    name: 'treasury',
    // So that concurrent postings of an association share batches and the cache of one node.
    metadata: ROUTED_BY_ASSOCIATION,
    actions: {
      ...walletActions(deps),
      record_cash_contribution: recordCashContributionAction(deps),
      list_cash_contributions: listCashContributionsAction(deps),
      get_cash_contribution: getCashContributionAction(deps),
      cash_ledger: cashLedgerAction(deps),
      request_distribution: requestDistributionAction(deps),
      list_distributions: listDistributionsAction(deps),
      get_distribution: getDistributionAction(deps),
      ...correctionActions(deps),
      balances: balancesAction(deps),
      ledger: ledgerAction(deps),
      ledger_head: ledgerHeadAction(deps),
      ledger_export: ledgerExportAction(deps),
      statement: statementAction(deps),
      transfer: transferAction(deps),
      cash_box: cashBoxAction(deps),
      obligations: obligationsAction(deps),
      execute_approval: executeApprovalAction(deps),
      lock_association: lockAssociationAction(deps),
      unlock_association: unlockAssociationAction(deps),
      lock_membership: lockMembershipAction(deps),
      unlock_membership: unlockMembershipAction(deps),
      ...testClockActions(context),
      health: healthAction(health, context),
    },
    started(this: Service) {
      context.start(this, { sagas: [cashDeposits.saga, distributions.saga, corrections.saga] });
    },
    async stopped() {
      // All requests have ended, and the context ends recovery. After it no caller posts any more.
      await context.stop();
      await ledger.stop();
    },
  };
}
