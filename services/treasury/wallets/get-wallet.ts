import { implement } from '../../../lib/service/implement.ts';
import { getWallet } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { TreasuryDeps } from '../deps.ts';
import { showWallet } from './wallet.rules.ts';
import { findWallet } from './wallet.store.ts';

/** One of the caller's wallets; another's is not found. */
export const getWalletAction = ({ foundation }: TreasuryDeps) =>
  implement(getWallet, async ({ path }, caller) => {
    const wallet = await findWallet(foundation.db.manager, path.wallet_id);
    if (wallet?.user_id !== caller.user_id) throw problem('not_found');
    return showWallet(wallet);
  });
