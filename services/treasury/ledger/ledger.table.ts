/** The double-entry ledger: the balances of accounts, the transfers that changed them, and the chains of transfers. */
import type { Money } from '../../../lib/contracts/accounts.ts';
import type { Metadata } from '../../../lib/contracts/metadata.ts';
import type { Leg, TransferKind } from '../../../lib/contracts/treasury.ts';
import { bigint, bool, bytes, instant, json, key, optional, table, text, uuid } from '../../../lib/db/table.ts';
import type { RowOf } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';

/** The last transfer of each chain. A chain begins with its first transfer. */
export const chains = table('chains', {
  chain_id: key(text()),
  association_id: optional(uuid()),
  seq: bigint(),
  hash: text(),
});

export const accounts = table('accounts', {
  account_id: key(text()),
  association_id: optional(uuid()),
  /** The account's name within its chain, as in legs. */
  name: text(),
  money: text<Money>(),
  currency: text(),
  /** The owner of the wallet; null for accounts of an association. */
  owner_user_id: optional(text()),
  /** In minor units. */
  balance: bigint(),
  /** The part of the balance that is the members' savings, in minor units. It cannot be used for other purposes. */
  savings: bigint(),
  /** The number of the account's last entry. */
  entry_count: bigint(),
  may_go_negative: bool(),
  created_at: instant(),
});

/** The first outcome under each id: a transfer with its position in the chain, or a refusal without one. */
export const transfers = table('transfers', {
  id: key(uuid()),
  chain_id: text(),
  seq: optional(bigint()),
  association_id: optional(uuid()),
  kind: text<TransferKind>(),
  legs: json<Leg[]>(),
  currency: text(),
  reference: optional(text()),
  /** The member of the entries that name no member themselves; not part of the chain. */
  member_id: optional(uuid()),
  posted_at: instant(),
  prev_hash: optional(text()),
  hash: optional(text()),
  /** From fingerprintOf(). */
  request_hash: bytes(),
  refusal: optional(json<Refusal>()),
  /** Part of the chain; null if there is none. */
  metadata: optional(json<Metadata>()),
});

/** The history of each account, numbered without gaps. */
export const entries = table('entries', {
  account_id: key(text()),
  entry_no: key(bigint()),
  transfer_id: uuid(),
  /** In minor units. */
  amount: bigint(),
  balance_after: bigint(),
  /**
   * The member who paid the association or was paid by it; null for entries within an association or outside of one.
   */
  member_id: optional(uuid()),
});

export type AccountRow = RowOf<typeof accounts>;
export type ChainRow = RowOf<typeof chains>;
export type TransferRow = RowOf<typeof transfers>;
