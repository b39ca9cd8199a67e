import type { Service, ServiceSchema } from 'moleculer';
import { health } from '../../lib/contracts/treasury.ts';
import { databaseOf } from '../../lib/node/resources.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { layFoundation } from '../../lib/service/foundation.ts';
import { healthAction } from '../../lib/service/health.ts';
import { balancesAction } from './actions/balances.ts';
import { cashLedgerAction } from './actions/cash-ledger.ts';
import { checkWalletAction } from './actions/check-wallet.ts';
import { depositAction } from './actions/deposit.ts';
import { executeApprovalAction } from './actions/execute-approval.ts';
import { getDistributionAction } from './actions/get-distribution.ts';
import { getWalletTransferAction } from './actions/get-wallet-transfer.ts';
import { getWalletAction } from './actions/get-wallet.ts';
import { ledgerExportAction } from './actions/ledger-export.ts';
import { ledgerHeadAction } from './actions/ledger-head.ts';
import { ledgerAction } from './actions/ledger.ts';
import { listDistributionsAction } from './actions/list-distributions.ts';
import { lockMembershipAction, unlockMembershipAction } from './actions/lock-membership.ts';
import { myWalletsAction } from './actions/my-wallets.ts';
import { obligationsAction } from './actions/obligations.ts';
import { openOwnWalletAction } from './actions/open-own-wallet.ts';
import { openWalletAction } from './actions/open-wallet.ts';
import { recordCashContributionAction } from './actions/record-cash-contribution.ts';
import { requestDistributionAction } from './actions/request-distribution.ts';
import { lockAssociationAction } from './actions/lock-association.ts';
import { statementAction } from './actions/statement.ts';
import { transferAction } from './actions/transfer.ts';
import { unlockAssociationAction } from './actions/unlock-association.ts';
import { withdrawAction } from './actions/withdraw.ts';
import { openTreasury } from './open-treasury.ts';
import type { TreasuryOptions } from './open-treasury.ts';
import { treasuryDatabase } from './persistence/data-source.ts';

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
