import { implementWrite } from '../../../lib/service/implement-write.ts';
import { depositToWallet } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { fundWallet } from './fund-wallet.ts';

/** E-money comes in from outside. */
export const depositAction = (deps: TreasuryDeps) =>
  implementWrite(deps.foundation, depositToWallet, (input, caller, ctx, operation) =>
    fundWallet(deps, 'wallet_deposit', input, caller, ctx, operation.id),
  );
