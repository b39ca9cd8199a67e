import { LRUCache } from 'lru-cache';
import type { Account, ChainHead, LedgerView } from './decide.rules.ts';
import { collectTouched, type Posting, type Touched } from './posting.rules.ts';

/** An entry has about 300 bytes. Enough for a few thousand groups that pay at the same time. */
const ACCOUNTS_MAX = 20_000;
const CHAINS_MAX = 5_000;

/** The cached part of the ledger that a batch touches. It has all chains of the batch. */
export interface CachedView {
  view: LedgerView;
  touched: Touched;
  /** The accounts that must be loaded from the database. They may not exist. */
  missing_account_ids: string[];
}

/**
 * A part of the ledger as this process last read or changed it. It is outdated after another process has posted, and
 * ahead of the database while a batch is being written. So the database checks the state before it writes what the
 * cache decided.
 */
export class LedgerCache {
  readonly #chains = new LRUCache<string, ChainHead>({ max: CHAINS_MAX });
  readonly #accounts = new LRUCache<string, Account>({ max: ACCOUNTS_MAX });

  /** Returns the cached part of the ledger that the postings touch; undefined if one of their chains is not cached. */
  viewOf(postings: readonly Posting[]): CachedView | undefined {
    const touched = collectTouched(postings);
    const view: LedgerView = { chains: new Map(), accounts: new Map(), known: new Map() };
    if (copyCached(this.#chains, touched.chain_ids, view.chains).length > 0) return undefined;
    const missing_account_ids = copyCached(this.#accounts, touched.account_ids, view.accounts);
    return { view, touched, missing_account_ids };
  }

  /** Stores the ledger as it is after a batch. */
  remember({ chains, accounts }: LedgerView): void {
    for (const [id, chain] of chains) this.#chains.set(id, chain.fresh ? { ...chain, fresh: false } : chain);
    for (const [id, account] of accounts)
      this.#accounts.set(id, account.fresh ? { ...account, fresh: false } : account);
  }

  /** Removes the chains and accounts, so that they are loaded again. */
  forget({ chain_ids, account_ids }: Touched): void {
    for (const id of chain_ids) this.#chains.delete(id);
    for (const id of account_ids) this.#accounts.delete(id);
  }
}

/**
 * Copies cached values into the view.
 * @returns the ids that are not cached
 */
function copyCached<T extends object>(
  cache: LRUCache<string, T>,
  ids: readonly string[],
  view: Map<string, T>,
): string[] {
  return ids.filter((id) => {
    const found = cache.get(id);
    if (found !== undefined) view.set(id, found);
    return found === undefined;
  });
}
