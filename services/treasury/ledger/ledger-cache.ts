import { LRUCache } from 'lru-cache';
import type { Account, ChainHead, LedgerView } from './decide.rules.ts';
import { collectTouched, type Posting, type Touched } from './posting.rules.ts';

/** Some 300 bytes each: those of a few thousand groups that are paying just now. */
const ACCOUNTS_MAX = 20_000;
const CHAINS_MAX = 5_000;

/** The part of the ledger that a batch touches, with all of its chains. */
export interface CachedView {
  view: LedgerView;
  touched: Touched;
  /** What has to be asked for, as far as it exists. */
  missing_account_ids: string[];
}

/**
 * The ledger as this process has last seen or changed it, as far as it remembers. It may be out of date, where another
 * process has posted meanwhile, or ahead, where a batch is being written: what is decided by it is checked by the database.
 */
export class LedgerCache {
  readonly #chains = new LRUCache<string, ChainHead>({ max: CHAINS_MAX });
  readonly #accounts = new LRUCache<string, Account>({ max: ACCOUNTS_MAX });

  /** What postings are decided by; undefined if one of their chains is not remembered. */
  viewOf(postings: readonly Posting[]): CachedView | undefined {
    const touched = collectTouched(postings);
    const view: LedgerView = { chains: new Map(), accounts: new Map(), known: new Map() };
    if (take(this.#chains, touched.chain_ids, view.chains).length > 0) return undefined;
    const missing_account_ids = take(this.#accounts, touched.account_ids, view.accounts);
    return { view, touched, missing_account_ids };
  }

  /** Remembers the ledger as it is after a batch. */
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

/** Moves what is remembered into the view; gives the ids of the rest. */
function take<T extends object>(cache: LRUCache<string, T>, ids: readonly string[], view: Map<string, T>): string[] {
  return ids.filter((id) => {
    const found = cache.get(id);
    if (found !== undefined) view.set(id, found);
    return found === undefined;
  });
}
