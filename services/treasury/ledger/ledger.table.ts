/** The double-entry ledger: what accounts hold, the transfers that moved it, and the chains that they form. */
import type { Money } from '../../../lib/contracts/accounts.ts';
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
  /** Its name within its chain, as in legs. */
  name: text(),
  money: text<Money>(),
  currency: text(),
  /** Whose wallet it is; null for accounts of an association. */
  owner_user_id: optional(text()),
  /** In minor units. */
  balance: bigint(),
  /** The members' savings in the balance, in minor units: nothing else may take them. */
  savings: bigint(),
  /** The number of its last entry. */
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
  /** The member that it is about, unless an entry names one; not part of the chain. */
  member_id: optional(uuid()),
  posted_at: instant(),
  prev_hash: optional(text()),
  hash: optional(text()),
  /** SHA-256 of what was asked for. */
  request_hash: bytes(),
  refusal: optional(json<Refusal>()),
});

/** The history of each account, numbered without gaps. */
export const entries = table('entries', {
  account_id: key(text()),
  entry_no: key(bigint()),
  transfer_id: uuid(),
  /** In minor units. */
  amount: bigint(),
  balance_after: bigint(),
  /** The member that gave it to the association or got it; null within the association, and outside of one. */
  member_id: optional(uuid()),
});

export type AccountRow = RowOf<typeof accounts>;
export type ChainRow = RowOf<typeof chains>;
export type TransferRow = RowOf<typeof transfers>;
