import type { Payee } from '../../../lib/contracts/membership.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import { call } from '../../../lib/service/call.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import type { ContributionDeps } from '../deps.ts';
import type { WalletOf } from './monies.rules.ts';

/** Member -> the wallet into which they are paid. */
export type PayoutWallets = ReadonlyMap<string, string>;

/**
 * Where each of these members is paid: their payout wallet, or one opened in the currency for those who have none, which
 * is rare: joining opens one. Members who have left are still paid.
 */
export async function payoutWallets(
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

/** @throws Error for a member whose wallet was not asked for: a mistake of ours */
export function walletIn(wallets: PayoutWallets): WalletOf {
  return (member_id) => {
    const wallet_id = wallets.get(member_id);
    if (wallet_id === undefined) throw new Error(`The payout wallet of member ${member_id} is not known`);
    return wallet_id;
  };
}
