import { implementWrite } from '../../../lib/service/implement-write.ts';
import { withdrawFromWallet } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { fundWallet } from './fund-wallet.ts';

/** E-money goes out. */
export const withdrawAction = (deps: TreasuryDeps) =>
  implementWrite(deps.foundation, withdrawFromWallet, (input, caller, ctx, operation) =>
    fundWallet(deps, 'wallet_withdrawal', input, caller, ctx, operation.id),
  );
