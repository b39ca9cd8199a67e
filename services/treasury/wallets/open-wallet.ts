import { implementWrite } from '../../../lib/service/implement-write.ts';
import { answerLocation, answerStatus } from '../../../lib/service/implement.ts';
import { openOwnWallet } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { showWallet } from './wallet.rules.ts';
import { openWallet } from './wallet.store.ts';

/** Opens the caller's wallet in a currency, or gives the one he has (200 in place of 201). */
export const openOwnWalletAction = ({ foundation }: TreasuryDeps) =>
  implementWrite(foundation, openOwnWallet, ({ body }, caller, ctx, operation) =>
    foundation.transaction(async (manager) => {
      const now = foundation.runtime.clock();
      const wanted = { id: operation.id, user_id: caller.user_id, currency: body.currency, now };
      const wallet = await openWallet(manager, wanted);
      // Opened by this operation: now, or by an earlier request with the same key.
      if (wallet.id !== operation.id) answerStatus(ctx, 200);
      answerLocation(ctx, `/wallets/${wallet.id}`);
      const answer = showWallet(wallet);
      await operation.answered(manager, answer);
      return answer;
    }),
  );
