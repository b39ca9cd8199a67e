import type { Service, ServiceSchema } from 'moleculer';
import { health } from '../../lib/contracts/treasury.ts';
import { databaseOf } from '../../lib/runtime/resources.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { layFoundation } from '../../lib/service/service-context.ts';
import { healthAction } from '../../lib/service/health.ts';
import { balancesAction } from './association/show-balances.ts';
import { cashLedgerAction } from './cash/list-cash-ledger.ts';
import { checkWalletAction } from './wallets/check-wallet.ts';
import { depositAction } from './wallets/deposit.ts';
import { executeApprovalAction } from './approvals/execute-approval.ts';
import { getDistributionAction } from './distributions/get-distribution.ts';
import { getWalletTransferAction } from './wallets/get-wallet-transfer.ts';
import { getWalletAction } from './wallets/get-wallet.ts';
import { ledgerExportAction } from './ledger/ledger-export.ts';
import { ledgerHeadAction } from './ledger/ledger-head.ts';
import { ledgerAction } from './ledger/show-ledger.ts';
import { listDistributionsAction } from './distributions/show-distributions.ts';
import { lockMembershipAction, unlockMembershipAction } from './association/lock-membership.ts';
import { myWalletsAction } from './wallets/show-wallets.ts';
import { obligationsAction } from './association/obligations.ts';
import { openOwnWalletAction } from './wallets/open-wallet.ts';
import { openWalletAction } from './wallets/open-wallet-command.ts';
import { recordCashContributionAction } from './cash/record-cash-contribution.ts';
import { requestDistributionAction } from './distributions/request-distribution.ts';
import { lockAssociationAction } from './association/lock-association.ts';
import { statementAction } from './statements/show-statement.ts';
import { transferAction } from './ledger/post-transfer.ts';
import { unlockAssociationAction } from './association/unlock-association.ts';
import { withdrawAction } from './wallets/withdraw.ts';
import { openTreasury } from './open-treasury.ts';
import type { TreasuryOptions } from './open-treasury.ts';
import { treasuryDatabase } from './database.ts';

/** The ledger, wallets, the cash box, distributions. `options` are for tests. */
export async function treasuryService(runtime: Runtime, options: TreasuryOptions = {}): Promise<ServiceSchema> {
  const foundation = await layFoundation(runtime, 'treasury', treasuryDatabase);
  const treasury = openTreasury(foundation, databaseOf(runtime.resources, 'treasury').url, options);
  const { deps } = treasury;
  return {
    name: 'treasury',
    actions: {
      open_own_wallet: openOwnWalletAction(deps),
      my_wallets: myWalletsAction(deps),
      get_wallet: getWalletAction(deps),
      get_wallet_transfer: getWalletTransferAction(deps),
      deposit: depositAction(deps),
      withdraw: withdrawAction(deps),
      record_cash_contribution: recordCashContributionAction(deps),
      cash_ledger: cashLedgerAction(deps),
      request_distribution: requestDistributionAction(deps),
      list_distributions: listDistributionsAction(deps),
      get_distribution: getDistributionAction(deps),
      balances: balancesAction(deps),
      ledger: ledgerAction(deps),
      ledger_head: ledgerHeadAction(deps),
      ledger_export: ledgerExportAction(deps),
      statement: statementAction(deps),
      open_wallet: openWalletAction(deps),
      check_wallet: checkWalletAction(deps),
      transfer: transferAction(deps),
      obligations: obligationsAction(deps),
      execute_approval: executeApprovalAction(deps),
      lock_association: lockAssociationAction(deps),
      unlock_association: unlockAssociationAction(deps),
      lock_membership: lockMembershipAction(deps),
      unlock_membership: unlockMembershipAction(deps),
      health: healthAction(health, foundation),
    },
    started(this: Service) {
      treasury.logTo(this.logger);
      foundation.start(this, { sweeps: treasury.sweeps(this.broker) });
    },
    async stopped() {
      // Requests are over by now, and the foundation ends the sweeps: then nobody posts any more.
      await foundation.stop();
      await treasury.stop();
    },
  };
}
