import { bigint, instant, key, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';

export const wallets = table('wallets', {
  id: key(text()),
  user_id: text(),
  currency: text(),
  account_id: text(),
  created_at: instant(),
});

/** The transfers of deposits and withdrawals, by their references. */
export const walletFunding = table('wallet_funding', {
  wallet_id: key(text()),
  kind: key(text<'wallet_deposit' | 'wallet_withdrawal'>()),
  reference: key(text()),
  /** In minor units, above zero in both directions. */
  amount: bigint(),
  transfer_id: uuid(),
});

/** A wallet with what its account holds, in minor units. */
export type Wallet = RowOf<typeof wallets> & { balance: bigint };
export type WalletFunding = RowOf<typeof walletFunding>;
