import { implementCommand } from '../../../lib/service/implement.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { openWallet as openStored } from './wallet.store.ts';

/** Gives the user's wallet in the currency, opening one if there is none. */
export const openWalletAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(openWallet, async ({ user_id, currency }) => {
    const { newId, clock } = foundation.runtime;
    const wallet = await openStored(foundation.db.manager, { id: newId(), user_id, currency, now: clock() });
    return { wallet_id: wallet.id };
  });
