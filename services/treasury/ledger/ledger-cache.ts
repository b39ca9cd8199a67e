import { LRUCache } from 'lru-cache';
import type { Account, ChainHead, LedgerView } from './decide.rules.ts';
import { collectTouched, type Posting, type Touched } from './posting.rules.ts';

/** Some 300 bytes each: enough for a few thousand groups that pay at the same time. */
const ACCOUNTS_MAX = 20_000;
const CHAINS_MAX = 5_000;

/** The part of the ledger that a batch touches, with all of its chains, as the cache has it. */
export interface CachedView {
  view: LedgerView;
  touched: Touched;
  /** Accounts to be loaded, which may not exist. */
  missing_account_ids: string[];
}

/**
 * A part of the ledger as this process has last seen or changed it. It may be behind, if another process has posted, or
 * ahead, while a batch is being written: the database checks what is decided by it.
 */
export class LedgerCache {
  readonly #chains = new LRUCache<string, ChainHead>({ max: CHAINS_MAX });
  readonly #accounts = new LRUCache<string, Account>({ max: ACCOUNTS_MAX });

  /** What the cache has of the postings' accounts; undefined if it lacks one of their chains. */
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

  forget({ chain_ids, account_ids }: Touched): void {
    for (const id of chain_ids) this.#chains.delete(id);
    for (const id of account_ids) this.#accounts.delete(id);
  }
}

/** Copies cached values into the view. @returns the ids of the others */
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
