import type { Payee } from '../../../lib/contracts/membership.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import { call, type CanCall } from '../../../lib/service/call.ts';
import type { ContributionDeps } from '../deps.ts';
import type { WalletOf } from './monies.rules.ts';

/** The wallet into which each member is paid, by member id. */
export type PayoutWallets = ReadonlyMap<string, string>;

/**
 * Finds the payout wallets of members, former ones too. For a member without one it opens one in the currency, which is
 * rare, as joining opens one.
 */
export async function findPayoutWallets(
  { timings }: ContributionDeps,
  via: CanCall,
  payees: readonly Payee[],
  currency: string,
): Promise<PayoutWallets> {
  const wallets = payees.map(async ({ member_id, user_id, payout_wallet_id }): Promise<[string, string]> => {
    if (payout_wallet_id !== null) return [member_id, payout_wallet_id];
    const { wallet_id } = await call(via, openWallet, { user_id, currency }, timings.call_timeout_ms);
    return [member_id, wallet_id];
  });
  return new Map(await Promise.all(wallets));
}

/** @returns a function that throws for a member without a wallet in the map: a mistake of ours */
export function walletLookup(wallets: PayoutWallets): WalletOf {
  return (member_id) => {
    const wallet_id = wallets.get(member_id);
    if (wallet_id === undefined) throw new Error(`The payout wallet of member ${member_id} is not known`);
    return wallet_id;
  };
}
