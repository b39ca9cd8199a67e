import { openOwnWallet, openWallet } from '../../../lib/contracts/treasury.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { answerLocation, answerStatus, implementCommand } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { findOrOpenWallet } from './wallet.store.ts';
import { showWallet } from './wallet.view.ts';

/** Opens the caller's wallet in a currency, or returns the existing one (200 instead of 201). */
export const openOwnWalletAction = (deps: TreasuryDeps) =>
  implementWrite(deps, openOwnWallet, ({ body }, { user_id }, ctx, operation) =>
    deps.db.transaction(async (tx) => {
      const wanted = { id: operation.id, user_id, currency: body.currency, now: deps.runtime.clock() };
      const wallet = await findOrOpenWallet(tx, wanted);
      // A wallet with this id was opened now, or by an earlier request with the same key.
      if (wallet.id !== operation.id) answerStatus(ctx, 200);
      answerLocation(ctx, `/wallets/${wallet.id}`);
      const answer = showWallet(wallet);
      await operation.keep(tx, answer);
      return answer;
    }),
  );

/** Returns the user's wallet in the currency, and opens it if they have none. */
export const openWalletAction = ({ db, runtime }: TreasuryDeps) =>
  implementCommand(openWallet, async (input) => {
    const wallet = await findOrOpenWallet(db, { ...input, id: runtime.newId(), now: runtime.clock() });
    return { wallet_id: wallet.id };
  });
