import { implement } from '../../../lib/actions/implement.ts';
import { depositToWallet } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { fundWallet } from './fund-wallet.ts';

/** E-money comes in from outside. */
export const depositAction = (deps: TreasuryDeps) =>
  implement(depositToWallet, (input, caller, ctx) => fundWallet(deps, 'wallet_deposit', input, caller, ctx));
