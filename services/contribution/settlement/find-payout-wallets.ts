import type { Payee } from '../../../lib/contracts/membership.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import { call, type CanCall } from '../../../lib/service/call.ts';
import type { ContributionDeps } from '../deps.ts';
import type { WalletOf } from './funds.rules.ts';

/** The ids of the wallets into which members are paid, by member id. */
export type PayoutWallets = ReadonlyMap<string, string>;

/**
 * Finds the payout wallets of members, including former members. It opens a wallet for a member who has none, which is
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

/**
 * Returns a function that finds a member's wallet.
 * @throws Error (the function) for a member who is missing in the map, which is a programming error
 */
export function walletLookup(wallets: PayoutWallets): WalletOf {
  return (member_id) => {
    const wallet_id = wallets.get(member_id);
    if (wallet_id === undefined) throw new Error(`No payout wallet was read for member ${member_id}`);
    return wallet_id;
  };
}
