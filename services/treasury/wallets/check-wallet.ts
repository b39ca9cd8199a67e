import { implementCommand } from '../../../lib/service/implement.ts';
import { checkWallet } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { TreasuryDeps } from '../deps.ts';
import { findWallet } from './wallet.store.ts';

/** Whether the wallet is the user's and in the currency; refuses if not. */
export const checkWalletAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(checkWallet, async ({ wallet_id, user_id, currency }) => {
    const wallet = await findWallet(foundation.db.manager, wallet_id);
    if (wallet?.user_id !== user_id) throw problem('not_found');
    if (wallet.currency !== currency) throw problem('wallet_currency_mismatch');
    return { ok: true };
  });
