/**
 * The names of accounts (contract, section 5). On the wire an account is named within its transfer's chain, as
 * `treasury`; the ledger holds it under `<chain>/treasury`. Wallets belong to no chain: `wallet:<id>` in both.
 */
import { isId } from '../../../lib/schema/rules.ts';

/** E-money and cash are two monies: every transfer sums to zero in each. */
export type Money = 'emoney' | 'cash';

export const TREASURY = 'treasury';
export const RESERVED = 'reserved';
/** The world outside of the e-money: deposits come from it and withdrawals go to it. */
export const FUNDING = 'funding';
export const CASH_TREASURY = 'cash_treasury';
export const CASH_RESERVED = 'cash_reserved';
/** The world outside of the cash box. Its balance, with the sign turned, is all that the box holds. */
export const CASH_FUNDING = 'cash_funding';

const WALLET = 'wallet:';
const POOL = 'pool:';
const CASH_POOL = 'cash_pool:';

const OF_ASSOCIATION: ReadonlySet<string> = new Set([TREASURY, RESERVED, CASH_TREASURY, CASH_RESERVED, CASH_FUNDING]);

export function walletAccount(wallet_id: string): string {
  return WALLET + wallet_id;
}

export function isWallet(account: string): boolean {
  return account.startsWith(WALLET);
}

/** Where the cash of a meeting waits for its settlement. */
export function cashPoolAccount(meeting_id: string): string {
  return CASH_POOL + meeting_id;
}

/** Whether the id is formed as the ids of wallets are; others name no wallet. */
export function isWalletId(wallet_id: string): boolean {
  return isId(wallet_id);
}

/** The meeting of a pool account, and which of the two monies it holds; null for all other accounts. */
export function poolOf(account: string): { meeting_id: string; money: Money } | null {
  if (account.startsWith(POOL)) return { meeting_id: account.slice(POOL.length), money: 'emoney' };
  if (account.startsWith(CASH_POOL)) return { meeting_id: account.slice(CASH_POOL.length), money: 'cash' };
  return null;
}

export function moneyOf(account: string): Money {
  return account.startsWith('cash_') ? 'cash' : 'emoney';
}

/** Only the two accounts that stand for the outside world go below zero (contract, section 5). */
export function mayGoNegative(account: string): boolean {
  return account === FUNDING || account === CASH_FUNDING;
}

/** Where an association meets the people in it: their wallets, and the hands that give it cash or take it. */
export function isExternal(account: string): boolean {
  return isWallet(account) || account === CASH_FUNDING;
}

/** The chain of an association's transfers. */
export function associationChain(association_id: string): string {
  return association_id;
}

/** The chain of a wallet's own deposits and withdrawals. */
export function walletChain(wallet_id: string): string {
  return WALLET + wallet_id;
}

/** Whether a transfer of this chain may touch the account: e-money comes and goes on the wallets' own chains alone. */
export function isAccountOf(chain_id: string, account: string): boolean {
  if (isWallet(chain_id)) return account === chain_id || account === FUNDING;
  if (isWallet(account) || OF_ASSOCIATION.has(account)) return true;
  const pool = poolOf(account);
  return pool !== null && isId(pool.meeting_id);
}

/** What the ledger holds the account under: unique across chains. */
export function accountIdOf(chain_id: string, account: string): string {
  return isWallet(account) ? account : `${chain_id}/${account}`;
}
