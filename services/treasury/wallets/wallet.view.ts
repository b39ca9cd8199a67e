import type { Wallet as WalletAnswer } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { Wallet } from './wallet.table.ts';

/** Returns the wallet as clients see it. */
export function showWallet({ id, user_id, currency, balance, created_at }: Wallet): WalletAnswer {
  return { id, user_id, currency, balance: toMajor(balance, currency), created_at: created_at.toISOString() };
}
