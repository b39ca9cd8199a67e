import { answerLocation, answerStatus, implement } from '../../../lib/actions/implement.ts';
import { openOwnWallet } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { showWallet } from '../domain/wallet.ts';
import { openWallet } from '../persistence/wallets.ts';

/** Opens the caller's wallet in a currency, or gives the one he has (200 in place of 201). */
export const openOwnWalletAction = ({ foundation }: TreasuryDeps) =>
  implement(openOwnWallet, async ({ body }, caller, ctx) => {
    const { newId, clock } = foundation.runtime;
    const wanted = { id: newId(), user_id: caller.user_id, currency: body.currency, now: clock() };
    const { wallet, opened } = await openWallet(foundation.db.manager, wanted);
    if (!opened) answerStatus(ctx, 200);
    answerLocation(ctx, `/wallets/${wallet.id}`);
    return showWallet(wallet);
  });
