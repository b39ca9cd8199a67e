import { call } from '../../../lib/service/call.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import type { Payee } from '../../../lib/contracts/membership.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import type { ContributionDeps } from '../deps.ts';

/** Member -> the wallet that he is paid into. */
export type PayoutWallets = ReadonlyMap<string, string>;

/**
 * Where each of these members is paid: his payout wallet, or one opened for him in the currency if he has none, which is
 * rare: joining opens one. Whoever has left is still paid.
 */
export async function payoutWallets(
  { timings }: ContributionDeps,
  via: CanCall,
  payees: readonly Payee[],
  currency: string,
): Promise<PayoutWallets> {
  const wallets = payees.map(async ({ member_id, user_id, payout_wallet_id }): Promise<[string, string]> => {
    if (payout_wallet_id !== null) return [member_id, payout_wallet_id];
    const { wallet_id } = await call(via, openWallet, { user_id, currency }, timings.transfer_deadline_ms);
    return [member_id, wallet_id];
  });
  return new Map(await Promise.all(wallets));
}

/** @throws Error for a member of whom membership was not asked: a mistake of ours */
export function walletIn(wallets: PayoutWallets): (member_id: string) => string {
  return (member_id) => {
    const wallet_id = wallets.get(member_id);
    if (wallet_id === undefined) throw new Error(`It is not known where member ${member_id} is paid`);
    return wallet_id;
  };
}
