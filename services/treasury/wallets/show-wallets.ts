import { implement } from '../../../lib/service/implement.ts';
import { myWallets } from '../../../lib/contracts/treasury.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { TreasuryDeps } from '../deps.ts';
import { showWallet } from './wallet.rules.ts';
import { walletsOf } from './wallet.store.ts';

/** The caller's wallets, the oldest first. */
export const myWalletsAction = ({ foundation }: TreasuryDeps) =>
  implement(myWallets, async ({ query }, caller) =>
    pageThrough(
      foundation.cursors,
      `wallets/${caller.user_id}`,
      query,
      (after, limit) => walletsOf(foundation.db.manager, caller.user_id, after?.[0] ?? null, limit),
      (wallet) => [wallet.id],
      showWallet,
    ),
  );
