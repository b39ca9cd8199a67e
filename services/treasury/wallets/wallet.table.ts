import type { Metadata } from '../../../lib/contracts/metadata.ts';
import { bigint, instant, json, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';

export const wallets = table('wallets', {
  id: key(text()),
  user_id: text(),
  currency: text(),
  account_id: text(),
  created_at: instant(),
});

/** The plan of each deposit and withdrawal: the transfer, amount and metadata of a reference. */
export const walletFunding = table('wallet_funding', {
  wallet_id: key(text()),
  kind: key(text<'wallet_deposit' | 'wallet_withdrawal'>()),
  reference: key(text()),
  /** In minor units, above zero for deposits and withdrawals. */
  amount: bigint(),
  transfer_id: uuid(),
  /** Null if there is none. */
  metadata: optional(json<Metadata>()),
});

/** A wallet with the balance of its account, in minor units. */
export type Wallet = RowOf<typeof wallets> & { balance: bigint };
export type WalletFunding = RowOf<typeof walletFunding>;
