/**
 * Chains of transfers: one for each association, and one for each wallet's own deposits and withdrawals. A transfer
 * names an account within its chain, such as `treasury`, which the ledger stores as `<chain>/treasury`. A wallet's
 * account is not part of a chain.
 */
import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import {
  fundingAccount,
  isWalletAccount,
  meetingOfPool,
  reservedAccount,
  treasuryAccount,
  WALLET_PREFIX,
  walletAccount,
} from '../../../lib/contracts/accounts.ts';
import { metadataMember } from '../../../lib/contracts/metadata.ts';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { isId } from '../../../lib/schema/rules.ts';

/** The `prev_hash` of the first transfer of a chain (docs/ledger.md). */
export const GENESIS_HASH = '0'.repeat(64);

/** The accounts from which e-money and cash enter. The cash box holds the balance of CASH_FUNDING, sign reversed. */
const FUNDING = fundingAccount();
const CASH_FUNDING = fundingAccount('cash');

/**
 * The accounts of an association other than wallets and pools. E-money enters and leaves only on the chains of wallets.
 */
const OF_ASSOCIATION: ReadonlySet<string> = new Set([
  treasuryAccount(),
  reservedAccount(),
  treasuryAccount('cash'),
  reservedAccount('cash'),
  CASH_FUNDING,
]);

/** Returns the id of the chain of an association's transfers. */
export function associationChain(association_id: string): string {
  return association_id;
}

/** Returns the id of the chain of a wallet's deposits and withdrawals. */
export function walletChain(wallet_id: string): string {
  return walletAccount(wallet_id);
}

/** Whether a transfer of this chain may touch the account. */
export function isAccountOf(chain_id: string, account: string): boolean {
  if (isWalletAccount(chain_id)) return account === chain_id || account === FUNDING;
  if (isWalletAccount(account) || OF_ASSOCIATION.has(account)) return true;
  return isId(meetingOfPool(account));
}

/** Whether an account of this name may be in transfers of the chain. PostgreSQL's text cannot hold every name. */
export function canBeAccount(chain_id: string, name: string): boolean {
  return isWalletAccount(name) ? isId(name.slice(WALLET_PREFIX.length)) : isAccountOf(chain_id, name);
}

/** Returns the account's id in the ledger, which is unique across chains. */
export function accountIdOf(chain_id: string, account: string): string {
  return isWalletAccount(account) ? account : `${chain_id}/${account}`;
}

/** Whether the account may go below zero. Only funding accounts may. */
export function mayGoNegative(account: string): boolean {
  return account === FUNDING || account === CASH_FUNDING;
}

/** Whether the account is outside of the association: a wallet, or the account from which its cash enters. */
export function isExternal(account: string): boolean {
  return isWalletAccount(account) || account === CASH_FUNDING;
}

/**
 * Returns the hash of a transfer: the SHA-256 (hex) of the RFC 8785 form of all its members except `hash`
 * (docs/ledger.md). Members that a transfer does not have are ignored.
 */
export function hashOf(transfer: Omit<TransferRecord, 'hash'>): string {
  const { id, seq, association_id, kind, currency, reference, posted_at, prev_hash, metadata } = transfer;
  const legs = transfer.legs.map(({ account, amount_minor }) => ({ account, amount_minor }));
  const hashed = { id, seq, association_id, kind, legs, currency, reference, posted_at, prev_hash };
  return canonicalHash({ ...hashed, ...metadataMember(metadata) });
}
