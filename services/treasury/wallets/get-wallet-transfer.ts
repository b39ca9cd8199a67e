import { implement } from '../../../lib/service/implement.ts';
import { getWalletTransfer } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { TreasuryDeps } from '../deps.ts';
import { findTransfer } from '../ledger/ledger-reads.store.ts';
import { findWallet } from './wallet.store.ts';
import { FUND_SCOPE } from './fund-wallet.ts';

/** A transfer that moved the wallet, for its owner and for the payment provider that funds it. */
export const getWalletTransferAction = ({ foundation: { db } }: TreasuryDeps) =>
  implement(getWalletTransfer, async ({ path: { wallet_id, transfer_id } }, caller) => {
    const wallet = await findWallet(db.manager, wallet_id);
    const mayRead = wallet?.user_id === caller.user_id || caller.scopes.includes(FUND_SCOPE);
    const transfer = wallet && mayRead ? await findTransfer(db.pool, transfer_id) : undefined;
    if (transfer?.legs.some(({ account }) => account === wallet?.account_id) !== true) throw problem('not_found');
    return transfer;
  });
