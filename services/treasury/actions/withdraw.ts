import { implement } from '../../../lib/actions/implement.ts';
import { withdrawFromWallet } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { fundWallet } from './fund-wallet.ts';

/** E-money goes out. */
export const withdrawAction = (deps: TreasuryDeps) =>
  implement(withdrawFromWallet, (input, caller, ctx) => fundWallet(deps, 'wallet_withdrawal', input, caller, ctx));
