import type { ActionSchema } from 'moleculer';
import type { TreasuryDeps } from '../deps.ts';
import { depositAction, withdrawAction } from './fund-wallet.ts';
import { openOwnWalletAction, openWalletAction } from './open-wallet.ts';
import {
  checkWalletAction,
  getWalletAction,
  getWalletTransferAction,
  listWalletsAction,
  listWalletTransfersAction,
  myWalletsAction,
} from './read-wallets.ts';

/** The actions of wallets. */
export function walletActions(deps: TreasuryDeps): Record<string, ActionSchema> {
  return {
    open_own_wallet: openOwnWalletAction(deps),
    my_wallets: myWalletsAction(deps),
    get_wallet: getWalletAction(deps),
    list_wallet_transfers: listWalletTransfersAction(deps),
    get_wallet_transfer: getWalletTransferAction(deps),
    deposit: depositAction(deps),
    withdraw: withdrawAction(deps),
    open_wallet: openWalletAction(deps),
    check_wallet: checkWalletAction(deps),
    list_wallets: listWalletsAction(deps),
  };
}
